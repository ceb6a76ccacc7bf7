"""Other words for what people are asked for: "when is it due", "by when", "the deadline"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

EMPTY = frozenset({"the", "a", "an", "new", "it", "was", "of", "in", "for", "on", "to", "at", "by"})
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


@dataclass(frozen=True, slots=True)
class Concept:
    """A way to ask (`pattern`) for facts of some kind, or called by some words."""

    pattern: re.Pattern[str]
    columns: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def fits(self, column: Sequence[str], owner: Sequence[str], kind: str) -> bool:
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

CONCEPTS: tuple[Concept, ...] = (
    _concept(
        r"\bdue\b|\bdeadline\b|\bby when\b|\bby what date\b|截止|到期|期限", "due deadline needed"
    ),
    _concept(r"\bcheck(?:ing)?[ -]?in\b|\barriv\w*|到达|入住", "arrival arrive start from"),
    _concept(r"\bcheck(?:ing)?[ -]?out\b|\bleav\w+|\bdepart\w*|离开|退房", "departure end until"),
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
        r"\bwho\b|\bwhom\b|\bwhose\b|\bwhich (?:user|person|customer|member|guest"
        r"|client)\b|谁|哪位|姓名",
        _PEOPLE,
    ),
    _concept(
        r"\bhow many\b|\bhow much\b|\bamount\b|\bquantit\w+|\bunits?\b|\bpieces\b"
        r"|多少|几[个件本]|数量",
        "quantity amount count stock copy adult child bed seat size number point limit "
        "maximum minimum day hour",
        "number",
    ),
    _concept(r"\bhow many\b|\bhow much\b|\bhow (?:big|large|long|old)\b|多少|几", kinds="number"),
    _concept(
        r"\b(?:price|cost|charge)\w*|\bhow (?:expensive|much)\b|价格|多少钱",
        "price cost amount fee rate",
    ),
    _concept(
        r"\b(?:name|call|title|label)\w*\b|名称|名字|标题|叫什么|姓名",
        "name title label headline subject",
    ),
    _concept(
        r"\b(?:describe|describing|description|details?|say in it|about)\b|描述|说明|详情",
        "description summary detail body note text comment content",
    ),
    _concept(
        r"\b(?:write|wording|message|content|say|text|comment|body|note)\w*"
        r"|内容|正文|写什么|留言|备注",
        "body text content message comment note description gift prompt",
    ),
    _concept(r"\b(?:role|permission|access|right)\w*|角色|权限", "role permission access level"),
    _concept(r"\b(?:status|state|stage)\b|状态", "status state stage"),
    _concept(
        r"\bpriorit\w+|\burgen\w+|\bhow important\b|优先级|紧急",
        "priority urgency importance severity",
    ),
    _concept(
        r"\b(?:kind|type|category|sort)\b|类型|类别|种类|哪种", "type kind category genre class"
    ),
    _concept(r"\b(?:colou?r)\w*|颜色", "color colour"),
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
)
"""Tried in this order; the first that fits decides."""
