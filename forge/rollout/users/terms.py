"""Other words for what people are asked for: "when is it due", "by when", "the deadline"."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

EMPTY = frozenset(
    {
        "the",
        "a",
        "an",
        "new",
        "it",
        "was",
        "of",
        "in",
        "for",
        "on",
        "to",
        "at",
        "by",
        "is",
        "be",
        "how",
        "far",
        "with",
        "this",
        "that",
        "and",
        "or",
        "not",
    }
)
"""Words in the name of a fact that tell it from no other."""

NOISE = frozenset(
    {
        "name",
        "id",
        "code",
        "number",
        "type",
        "date",
        "time",
        "key",
        "value",
        "text",
        "user",
        "first",
    }
)
"""Words that many things are called by: alone they are no sign, but at the end of a name."""


OTHERS: tuple[frozenset[str], ...] = (
    frozenset({"id", "gid", "uuid", "guid", "identifier", "isbn", "编", "号"}),
    frozenset({"priority", "urgent", "urgency", "优", "急"}),
    frozenset({"payment", "pay", "card", "credit", "iban", "付", "卡"}),
    frozenset({"password", "pin", "token", "密"}),
    frozenset({"version", "版"}),
    frozenset({"phone", "mobile", "telephone", "电"}),
    frozenset({"email", "mail", "邮"}),
    frozenset({"address", "地", "址"}),
    frozenset({"birth", "birthday", "age", "gender"}),
    frozenset({"currency", "币"}),
    frozenset({"colour", "color", "颜", "色"}),
    frozenset({"assignee", "assign", "reviewer", "responsible", "负", "谁"}),
    frozenset({"quantity", "many", "much", "few"}),
    frozenset({"born", "birth", "birthday"}),
    frozenset({"sha", "hash", "commit"}),
    frozenset({"tracking"}),
    frozenset({"deadline", "due", "截"}),
    frozenset({"language", "语"}),
    frozenset({"reason", "why", "原", "因"}),
    frozenset({"size", "width", "height", "weight", "尺"}),
    frozenset({"time", "clock", "o'clock", "点"}),
    frozenset({"milestone"}),
    frozenset({"template"}),
    frozenset({"discount", "coupon", "折"}),
)
"""Words that ask for one thing each: a question with one is not for a fact that has none of its
group in its name."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A way to ask (`pattern`) for facts of some kind, or called by some words."""

    pattern: re.Pattern[str]
    columns: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def fits(self, column: Iterable[str], owner: Iterable[str], kind: str) -> bool:
        if self.columns and self.columns.isdisjoint(column):
            return False
        if self.owners and self.owners.isdisjoint([*column, *owner]):
            return False
        return not self.kinds or kind in self.kinds

    def place(self, text: str) -> int | None:
        """Where in the text it is asked for."""
        match = self.pattern.search(text)
        return None if match is None else match.start()


def _concept(pattern: str, columns: str = "", kinds: str = "", owners: str = "") -> Concept:
    return Concept(
        re.compile(pattern),
        frozenset(columns.split()),
        frozenset(owners.split()),
        frozenset(kinds.split()),
    )


_PEOPLE = (
    "assignee customer user member owner guest author reviewer person people manager driver "
    "patient doctor client contact employee teacher student recipient sender receiver "
    "lead login username "
    "creator reporter buyer seller supplier vendor host tenant borrower passenger"
)

PEOPLE = frozenset(_PEOPLE.split())

CONCEPTS: tuple[Concept, ...] = (
    _concept(
        r"\bdue\b|\bdeadline\b|\bby when\b|\bby what date\b|截止|到期|期限", "due deadline needed"
    ),
    _concept(
        r"\bcheck(?:ing)?[ -]?in\b|\barriv\w*|到达|入住|到店|起止|\bnights?\b",
        "arrival arrive start from",
    ),
    _concept(
        r"\bcheck(?:ing)?[ -]?out\b|\bleav\w+|\bdepart\w*|离开|退房|离店|起止"
        r"|\bnights?\b|\buntil when\b|\bhow long\b",
        "departure end until",
    ),
    _concept(r"\b(?:start|begin)\w*|开始", "start begin since from arrival", "date"),
    _concept(r"\b(?:end|finish|until)\w*|结束", "end until finish departure expiry", "date"),
    _concept(
        r"\bwhen\b|\bwhat (?:date|day|time)\b|\bwhich (?:date|day)\b|\bdates?\b"
        r"|何时|什么时候|几号|哪天|几点|日期|时间",
        kinds="date",
    ),
    _concept(
        r"\bwhere\b|\baddress\b|\bdestination\b|\blocation\b|\bship(?:ped)? to\b"
        r"|\bdeliver\w*|地址|哪里|送到|寄到",
        "address location place city destination street shelf site pickup delivery",
    ),
    _concept(r"\be-?mails?\b|邮箱|电子邮件|邮件", "email mail"),
    _concept(
        r"\bphones?\b|\btelephone\b|\bcell\b|\bmobile\b|\bcontact number\b|\bcall (?:you"
        r"|them)\b|电话|手机",
        "phone telephone mobile",
    ),
    _concept(
        r"\bwho\b|\bwhom\b|\bwhose\b|\bassignee\b|\bassigned? to\b|\bborrower\b"
        r"|\bwhich (?:user|person|customer|member|guest|client|colleague)\b"
        r"|谁|哪位|姓名|负责人|同事|会员|客人",
        _PEOPLE + " name login username",
        owners=_PEOPLE,
    ),
    _concept(
        r"\b(?:order|buy|purchase)\b.*\?|\bwhat (?:item|product)|想买|要买|购买|买什么|商品",
        "product item article name sku",
        owners="product item article",
    ),
    _concept(r"\b(?:reserve|borrow|read)\b|预约哪|借哪|哪本", "book title", owners="book"),
    _concept(
        r"\bhow many\b|\bamount\b|\bquantit\w+|\bunits?\b|\bpieces\b"
        r"|多少|几[个件本]|数量",
        "quantity amount count stock copy adult child bed seat size number point limit "
        "maximum minimum day hour",
        "number",
    ),
    _concept(
        r"\b(?:price|cost|charge)\w*|\bhow (?:expensive|much)\b|价格|多少钱",
        "price cost amount fee rate",
    ),
    _concept(
        r"\b(?:names?|named|naming|call|called|titles?|titled|headline)\b|名称|名字|标题|叫什么|姓名",
        "name title label headline subject",
    ),
    _concept(
        r"\b(?:describe|describing|description|details?|say in it|about)\b|描述|说明|详情",
        "description summary detail body note text comment content",
    ),
    _concept(
        r"\b(?:write|wording|message|content|say|text|comment|body|note)\w*"
        r"|\b(?:tweet|post|feedback|instructions?|work on|pass along)\b"
        r"|内容|正文|写什么|留言|备注|评语|意见|反馈",
        "body text content message comment note description gift prompt",
    ),
    _concept(r"\b(?:role|permission|access|right)\w*|角色|权限", "role permission access level"),
    _concept(r"\b(?:status|state|stage)\b|状态", "status state stage"),
    _concept(r"\bapprov\w+|\brequest(?:ing)? changes\b|通过|结论", "event verdict decision"),
    _concept(r"\bsender\b|\bfrom whom\b|发件人|发送人|以谁", "sender name"),
    _concept(r"\breceiver\b|\bto whom\b|\brecipient\b|收件人|接收人", "receiver recipient"),
    _concept(r"\b(?:host|region|data cent)\w*|地区|区域", "region location zone"),
    _concept(r"\bcapacity\b", "role"),
    _concept(
        r"\bpriorit\w+|\burgen\w+|\bhow important\b|优先级|紧急",
        "priority urgency importance severity",
    ),
    _concept(
        r"\b(?:kind|type|category|sort)\b|类型|类别|种类|哪种", "type kind category genre class"
    ),
    _concept(r"\b(?:colou?r)\w*|颜色|色标|什么色", "color colour"),
    _concept(r"\b(?:link|url|website|web address|site)\b|链接|网址", "url link website target uri"),
    _concept(r"\b(?:repo|repository)\b|仓库", "repository repo"),
    _concept(r"\b(?:branch|merge into|base)\b|分支", "branch head base ref"),
    _concept(r"\b(?:tags?|labels?)\b|标签", "tag label"),
    _concept(r"\broom\b|房间|几号房", "room", owners="room"),
    _concept(
        r"\b(?:assign|responsible|handle|take care)\w*|负责|分配", "assignee owner responsible"
    ),
    _concept(r"\b(?:pictures?|photos?|images?)\b|照片|图片", "photo image picture url"),
    _concept(r"\breason\b|\bwhy\b|原因|为什么", "reason cause why"),
    _concept(r"\bcurrency\b|货币|币种", "currency"),
    _concept(r"\bcountry\b|国家", "country"),
    _concept(r"\b(?:public key|ssh key|key)\b|密钥|公钥", "key public armored"),
    _concept(r"\bhow many\b|\bhow much\b|\bhow (?:big|large|long|old)\b|多少|几", kinds="number"),
)
"""Tried in this order; the first that fits decides."""
