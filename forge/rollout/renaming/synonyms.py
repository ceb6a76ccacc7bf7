"""Words of tools and their fields, each with others that say the same."""

_LINES = """
get fetch retrieve obtain read
list enumerate browse show
find locate lookup discover
search seek query explore
create make open establish
add append attach include
update modify amend revise
set assign put define
edit alter adjust change
delete erase discard destroy
remove drop withdraw detach
cancel abort revoke annul
close finish conclude end
complete accomplish fulfil finalize
start begin launch initiate
stop halt cease
send dispatch transmit deliver
check inspect examine verify
count tally total
move shift relocate transfer
copy duplicate replicate
archive shelve retire
assign allot allocate
return restore revert
borrow loan lease
upload submit
download export
enable activate
disable deactivate
merge combine unite
lock freeze seal
unlock unfreeze unseal
approve accept endorse
reject decline refuse
invite ask
join enter
leave exit
publish release issue
pay settle remit
refund reimburse repay
id ref handle code
ids refs handles codes
gid ref handle
uid ref handle
uuid guid ref
key token handle
name label caption designation
title heading headline caption
description summary details explanation
text wording content
body content main
message note memo
comment remark annotation
note remark memo
notes remarks memos
type kind category class
status state condition phase
state condition phase situation
number figure digits
count quantity tally
total sum overall
amount sum volume
quantity units pieces
price cost rate
cost expense outlay
currency money denomination
date day moment
time moment instant
day date weekday
year annum
created made born
updated changed modified
deleted erased gone
closed finished shut
opened begun
due deadline expected
start begin from
end finish until
at when time
on dated
by per via
user person account
users persons accounts
username login handle
owner holder proprietor
author writer creator
member participant
members participants
customer client buyer
client customer
person individual human
employee worker
company firm business
organization org body
org organization body
team group crew
group cluster bunch
project initiative undertaking
task job assignment
issue matter ticket
item piece article
items pieces articles
order purchase
product article ware
book volume
books volumes
room chamber
guest visitor
reservation booking
booking reservation
event occasion
category class genre
tag marker
tags markers
label marker
labels markers
page sheet part
limit maximum cap most
offset skip
sort ordering arrange
filter criterion
query search
size extent dimensions
length extent
height tallness
width breadth
weight mass heaviness
color tint hue
colour tint hue
address location whereabouts
city town municipality
country nation land
street road lane
postal zip
phone telephone tel
email mail mailbox
url link href
link url
image picture
photo picture
file document
path route
version edition revision
language tongue
location place site
place spot venue
position rank place
rating score stars
score points mark
active live running
enabled on allowed
default standard preset
public open shared
private hidden personal
required needed mandatory
available free vacant
first initial leading
last final closing
parent ancestor
child descendant
data payload info
info information facts
meta extra
result outcome
results outcomes
error fault
value worth content
max most highest
min least lowest
copies exemplars
shelf rack
author writer
genre style
loan lending
member subscriber
hold claim
card pass
joined entered
assignee responsible
priority urgency importance
stock inventory supply
sku itemcode
brand make
model variant
review critique
address residence
line row
rate charge
fee charge
tax duty levy
discount reduction rebate
payment settlement
invoice bill
balance remainder
account profile
password secret
token ticket
role function capacity
permission right
access entry
settings preferences options
config setup
option choice
source origin
target goal aim
from since
to until toward
since after
before until
after since
repository archive codebase
repo codebase
branch fork offshoot
commit checkin
code cipher digits
view look glimpse
login signin
full whole entire
display presentation visual
custom bespoke tailored
issues matters tickets
verified confirmed certified
admin steward
usage consumption utilization
request petition ask
last latest final
keys tokens
mode manner fashion
allowed permitted
plan scheme blueprint
creation making genesis
policy guideline
network net mesh
site venue spot
discussion debate talk
template pattern mould
follower adherent
auto automatic
alert warning alarm
seat chair
change shift
period span interval
interval span gap
fingerprint imprint
resource asset
carrier hauler
slug shortname
method approach technique
failure fault breakdown
rule norm
hook trigger
release rollout
environment setting surroundings
workflow procedure
secret confidential
security safety
protection safeguard
domain realm field
record entry log
zone area sector
region area territory
database datastore
build assemble
command instruction
run execution
job chore
service facility
server host
app application program
session sitting
direction heading
duration span
quota allowance
summary digest
content substance
reason cause grounds
number figure digits
external outside foreign
internal inside
current present
previous prior
next following
original initial
total sum overall
is being
has holds
in within
of belonging
new fresh
old former
all every
"""

SYNONYMS: dict[str, tuple[str, ...]] = {}
for _line in _LINES.split("\n"):
    _word, *_others = _line.split() or [""]
    SYNONYMS[_word] = tuple(dict.fromkeys((*SYNONYMS.get(_word, ()), *_others)))
