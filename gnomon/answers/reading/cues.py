"""The words and signs by which models announce, correct, qualify and refuse an answer.

One table for all languages (English, German, French, Spanish, Chinese); `final` knows only what a
cue means. All patterns match lower-case text, and their quantifiers are bounded, so that no text
takes long.
"""

from __future__ import annotations

import re

_TAGS = r"think|thinking|thought|reasoning|seed:think"
THOUGHT = re.compile(
    rf"</(?:{_TAGS})>|◁/think▷|\[/think\]|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>"
    r"|\bassistantfinal\b|<unused95>"
)
THINKS = re.compile(rf"<(?:{_TAGS})>|<unused94>|◁think▷|\[think\]|<\|channel\|>analysis")

_ANSWER_TAGS = (
    r"answer|final_answer|conclusion|result|response|output|time|答案|réponse|respuesta|antwort"
)
ENCLOSED = (
    (
        "boxed",
        re.compile(
            r"\\(?:boxed|fbox)\s{0,2}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,200}\}){1,400})"
        ),
    ),
    (
        "tag",
        re.compile(rf"<(?:{_ANSWER_TAGS})\b[^<>]{{0,60}}>(?!\s*\Z)([\s\S]{{0,800}}?)(?:</|\Z)"),
    ),
    ("tag", re.compile(r"<\|begin_of_box\|>([\s\S]{1,400}?)(?:<\|end_of_box\|>|\Z)")),
    ("tag", re.compile(r"\[answer\]([\s\S]{1,400}?)(?:\[/answer\]|\Z)")),
    ("ticked", re.compile(r"^([^\n]{0,60}(?:\[x\]|✔|✅|☑|✓)[^\n]{0,60})$", re.MULTILINE)),
)
"""Places that enclose an answer, the most trusted first; each with what it holds as its group."""

_ANSWER_KEYS = (
    r"(?:final|correct|predicted|selected)?[_ ]?(?:answer|option|choice)"
    r"|答案|réponse|respuesta|antwort"
)
_VALUE_KEYS = (
    r"result|time|value|reading|count|total|prediction|output|response|number"
    r"|时间|结果|数值|heure|hora|uhrzeit|valeur|valor|wert|clock_reading"
)
KEY = re.compile(rf"[\"'](?:{_ANSWER_KEYS})[\"']\s?:")
_ANSWER = (
    r"answers?|antwort|réponse|respuesta"
    r"|(?:correct|right|best)\s(?:option|choice|reading|statement)|richtige\soption|opción\scorrecta"
)
_RESULT = r"solution|result(?:at|ado)?|response|ergebnis|lösung|résultat|choice|estimate|estimation"
_WILL_BE = r"(?:is|are|was|would\sbe|should\sbe|must\sbe|ist|lautet|wäre|est|es|sera|será|sería)\b"
_MARKS = r"[*_\"'`)\s]{0,6}"
_SUBJECT = (
    r"time(?!s)|clock|watch|dial|gauge|meter|needle|thermometer|scale|value|(?<!in\s)total|sum|difference|mean"
    r"|average|median|ratio|number|(?<=the\s)count|sales|price|increase|trend|hora|reloj|valor|diferencia|heure|horloge|valeur"
    r"|uhrzeit|uhr|wert|summe|differenz"
)
_SHOWS = (
    r"is|are|was|were|shows?|reads?|displays?|indicates?|indicating|showing|reading|says?|equals|becomes|points\s(?:to|at)|stands\sat|stood\sat|has|has\sa\svalue\sof|ist|zeigt|beträgt|est|indique"
    r"|affiche|marca|indica|es|son|marque"
)
_SAYS = (
    r"it(?:['’]s|\s(?:is|shows|reads|says|has|had|was|looks\slike|appears|seems))|that['’]?s|that\s(?:is|gives|leaves|makes|means)|this\s(?:is|gives|means)|there\s(?:is|are|remain|were)|we\s(?:get|have|see|find)|gives|leaves|makes"
    r"|i(?:['’]d|['’]ll|\swould|\swill)?\s(?:say|see|count|estimate|read|think|guess|believe|choose|pick|select|go\swith|get|put\sit|lean\stowards?|opt\sfor)"
    r"|il\sest|il\sy\sa|c['’]est|on\svoit|son|es\sla|hay|es\sist|es\ssind|es\sgibt|ergibt|das\ssind|je\sdirais|diría"
)
_CONCLUDE = (
    r"so|therefore|thus|hence|consequently|accordingly|in\sconclusion|in\stotal|this\smeans|which\smeans|that\smeans"
    r"|altogether|in\ssummary|finally|overall|combine|daher|somit|folglich|also|insgesamt|zusammen|donc|ainsi|au\stotal|finalement"
    r"|based\son\s[^,.\n]{1,60},|por\s(?:lo\s)?tanto|así\sque|entonces|en\stotal|luego"
)
_WORDS = {
    "is the answer": (
        r"(?:is|are|was|would\sbe|must\sbe|seems|appears|ist|est|es)\s(?:to\sbe\s)?(?:the\s|my\s|our\s|la\s|die\s|a\s)?"
        r"(?:(?:(?:final|correct|right|best|only|closest)\s)?(?:answer|option|choice|match|fit)\b|mo(?:re|st)\s(?:similar|likely|appropriate|suitable)\b|correct\b|right\b(?!\s\w)|true\b"
        r"|richtig|korrekt|correcte?\b|correct[ao]\b|bonne\sréponse|richtige)|(?:matches|fits)\b"
        r"|(?:that|this|it)['’]s\s(?:the|my|our)\s(?:final\s|correct\s)?answer\b"
    ),
    "is wrong": (
        r"(?:is|was|are|were|must\sbe|would\sbe)\s(?:not\s(?:correct|right|the|true)|incorrect|wrong|false)|ist\sfalsch|est\sfaux|es\sincorrect[ao]"
    ),
    "answer": (
        rf"(?:{_ANSWER})\b(?:\s(?:is|finale?|richtige|correcte?|correcta|here|to\sthe\squestion))?{_MARKS}(?:[:：=]|{_WILL_BE}){_MARKS}[:：]?"
        r"|answer\s(?=\d|\(?[a-e]\)?\W)|^a:(?=[^\n]{1,40}\Z)"
        rf"|(?:answer|(?:correct|right|best)\s(?:option|choice))\s(?:\([^()\n]{{1,30}}\)|[^.!?\n:=]{{1,60}}?)\s?(?:\b{_WILL_BE}|[:=]){_MARKS}[:：]?"
    ),
    "result": rf"(?:{_RESULT})\b{_MARKS}(?:[:：=]|{_WILL_BE}){_MARKS}[:：]?",
    "conclusion": rf"(?:{_CONCLUDE})\b",
    "shows": (
        rf"(?:{_SUBJECT})s?\b[^.!?\n:=,;]{{0,60}}?(?:\b(?:{_SHOWS})\b|[:：=≈])"
        r"|(?:\w{3,12}est|most|least)\b[^.!?\n:=,;]{0,40}?\b(?:is|are|was|were|ist|est|es)\b"
    ),
    "because": (
        r"(?:(?:this|that|it)\sis\s)?(?:because|since|as|given|due\sto|evident|weil|da|denn|car|puisque|porque|ya\sque|pues)\b"
    ),
    "says": rf"(?:{_SAYS})\b",
    "equates": (
        r"(?:corresponds?|corresponding|equivalent|amounts?|translates?)\sto\b|(?:entspricht|correspond(?:ant)?\sà|corresponde\sa)\b"
    ),
    "supposes": r"(?:if|unless|(?<=\n)when|wenn|(?<=,\s)falls|si|cuando)\b",
    "hypothesis": (
        r"(?:would\s(?:be|have|point|read|show|mean)|had\sbeen|(?:it|hands?)\swere"
        r"|wäre|serait|sería|estaría)\b"
    ),
    "exemplifies": r"(?:for\s(?:example|instance)|e\.g\.|zum\sbeispiel|par\sexemple|por\sejemplo)",
    "contrasts": (
        r"(?:whereas|while|unlike|in\scontrast|on\sthe\sother\shand"
        r"|wohingegen|während|tandis\sque|mientras)\b"
    ),
    "denies": r"(?:neither|weder)\b",
    "doubts": (
        r"(?:at\sfirst|initially|originally|first\sglance|might\sthink|one\smight"
        r"|some\smight|i\s(?:first\s|initially\s)?(?:thought|said|guessed))\b"
    ),
    "no": r"(?:no|nope|nein|non)(?=\s?[,:;.…–—!-]|\swait)",
    "corrects": (
        r"(?:wait|sorry|correction|scratch\sthat|i\smean|make\sthat|oops|my\sbad|pardon|perdón|mejor\sdicho|corrijo|corrección"
        r"|korrektur|korrigiere|besser\sgesagt)\b"
    ),
    "reconsiders": (
        r"(?:actually|rather(?!\sthan)|hmm+|on\s(?:second|reflection|closer)|mistake|re-?(?:check|consider|count|examin|read|look)\w*|misread|earlier"
        r"|look(?:ing)?\s(?:again|closer|more)|double-?check|apolog\w+|more\sprecisely|to\sbe\s(?:precise|exact)|in\sfact|correct\s(?:it|this|that)\sto|second\slook"
        r"|moment(?=\s?[,.!:…—-])|eigentlich|genauer|vielmehr|sondern|plutôt|en\sfait|erreur|en\srealidad|sino)(?!\w)"
    ),
    "refuses": (
        r"(?:(?:can(?:no|['’])t|cannot|can\snot)(?!\sbe\s(?:ruled|excluded))|could(?:\snot|n['’]t)|unable|impossible|undetermined|unknown|unclear|illegible|unreadable"
        r"|not\s(?:possible|able|enough|visible|clear|legible|sure|known|certain|available|listed|provided|in\sthe\s(?:choices|options)|determinable|given|provide|show|contain)"
        r"|(?:don['’]?t|doesn['’]?t|does\snot|do\snot)\s(?:know|see|have|provide|contain|show|include|specify)|no\s(?:idea|opinion)|insufficient|n/a|no\ssuch|please\s(?:provide|specify|clarify|upload|share)"
        r"|(?:do\syou\s|you\s)mean|isn['’]t\s(?:given|shown|visible|clear|any|possible|enough|among|one)|(?:no|not\sa|not\sany|without\s(?:a|the))\s(?:answer|gauge|clock|chart|image|data|value|scale|access|readable|legible|visible|information)"
        r"|none\sof\s(?:the|these)\s(?:given\s|provided\s|listed\s)?(?:options|choices|above|answers)|none\sof\sthem\.|too\s(?:blurry|dark|blurred|small\sto)"
        r"|unbekannt|kein\w*\s(?:uhr|angabe|zahl|wert)|nicht\s(?:möglich|erkennbar|lesbar|ablesbar|bestimm\w*|sicher|sagen|erkennen|lesen|angegeben|beantworten)"
        r"|illisible|inconnue?|(?:peux|peut|puis|est)\spas|no\s(?:puedo|se\spuede|es\sposible|lo\ssé|hay\sinformaci\w+|está)|ning[uú]n\w*\s(?:reloj|dato)|desconocid[oa]|imposible|ilegible)\b"
    ),
    "despite": (
        r"(?:but|still|though|although|best\s(?:guess|estimate)|my\sguess"
        r"|i['’]d\s(?:say|guess|estimate)|aber|mais|pero|aunque)\b"
    ),
    "works": (
        r"(?:step|first(?!\s\w{3})|let['’]?s?|let\s(?:me|us)|looking\sat|to\s(?:find|determine|answer|read|get|work|tell|solve|compute|calculate)|we\s(?:need|must|can)|i(?:\sneed|['’]ll|\swill)"
        r"|schritt|zuerst|étape|d['’]abord|primero|paso)\b"
    ),
}
"""What a cue is called, and its words; of two that begin at the same place the first counts."""
_SIGNS = {
    "key": KEY.pattern,
    "value key": rf"[\"'](?:{_VALUE_KEYS})[\"']\s?:",
    "is the answer": r"才?是正确|符合",
    "is wrong": r"不正确|错误",
    "answer": (
        r"^\#{4}|^\#{1,6}\s*(?:final\s|the\s){0,2}answer\b[^\w\n]*\n"
        r"|(?:答案|正确选项|结论)(?:应该|应|就|选|是|为|：|:){1,3}|应?选(?:择|项)?(?=[\s：:]{0,2}[a-z]\b)"
    ),
    "result": r"(?:结果|读数)(?:应该|应|就|是|为|：|:){1,3}",
    "conclusion": r"因此|所以|综上|总之|故|∴|⇒|\\therefore",
    "shows": (
        r"最[^。，\n]{1,6}(?:是|为)"
        r"|(?:时间|读数|显示|时钟|总数|差)[^。\n，]{0,8}?(?:是|为|：|:)"
    ),
    "says": r"现在是|一共有?|共有?|大约|等于",
    "equates": r"对应",
    "because": r"因为",
    "supposes": r"如果|假如",
    "hypothesis": r"会是",
    "corrects": r"不对|更正|抱歉|不，|等等",
    "reconsiders": r"其实|应该是|应为|而是",
    "refuses": r"无法|不能|看不|未知|不清|没有(?=显示|提供|给出|足够)|未(?=显示|提供|给出)|不知道",
    "despite": r"但|不过",
    "works": r"首先|步骤",
}
"""The same for what needs no blank before it."""


def _together(cues: dict[str, str], begins: str) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{name.replace(' ', '_')}>{cue})" for name, cue in cues.items())
    return re.compile(f"{begins}(?:{groups})", re.MULTILINE)


_BY_WORDS = _together(_WORDS, r"\b(?=[a-zéü])")
_BY_SIGNS = _together(_SIGNS, r"(?=[\"'#\\∴⇒\u4e00-\u9fff])")
_BEGINS = {
    "no": re.compile(r"(?:\A|[.…,;:–—!?(\n)}\]-])\s{0,2}\Z"),
    "conclusion": re.compile(r"(?:\A|[.!?;:\n,*_)—–-])\s{0,3}(?:and\s)?\Z"),
}
"""What stands before words that are only cues where a clause begins."""


def cues(text: str) -> list[tuple[str, int, int]]:
    """Name, start and end of each cue of a text in lower case."""
    found = [
        (match.lastgroup or "", *match.span())
        for match in _BY_WORDS.finditer(text)
        if match.lastgroup not in _BEGINS
        or _BEGINS[match.lastgroup].search(text, max(0, match.start() - 8), match.start())
    ]
    found += [(match.lastgroup or "", *match.span()) for match in _BY_SIGNS.finditer(text)]
    return sorted(
        (("corrects" if name == "no" else name, start, end) for name, start, end in found),
        key=lambda cue: cue[1],
    )


ALMOST = (
    r"(?:(?:approximately|about|around|exactly|roughly|just|the|a|an|only|now|currently|likely|probably|precisely|indeed"
    r"|closest\sto|at|of|de|bei|um|namely|nearly|almost|ungefähr|etwa|rund|environ|aproximadamente|unos|约|大约|为|option|then|therefore|thus|hence|so|also|donc|in|on|im|to\sbe|las?|der|die|das|le|les|el|is|be|a\svalue\sof)[\s*_\"'`$(：:]{0,4}){0,4}"
)
"""What may stand between a cue and its value."""
IS = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|gives?|gets?|leaves|makes|yields|reads?|shows?|displays|indicates|says|remain|means"
    r"|ist|sind|waren|ergibt|beträgt|zeigt|est|sont|donne|indique|es|son|marca|indica|da|namely|nämlich)|['’]s|是|为|等于|有|[=≈:：→]|\b(?:i\.e\.|d\.h\.),?)"
    rf"[\s*_\"'`$(\\]{{0,6}}{ALMOST}\Z"
)
NEGATES = re.compile(
    r"(?:\b(?:not|than|compared\s(?:to|with)|unlike|versus|instead\sof|isn['’]t|wasn['’]t|aren['’]t|nor|neither|never|some\smight\s(?:read|say|think)|one\smight\s(?:read|say|think)|you\s(?:might|may|could)\s(?:read|say|think)|et\snon|non\spas|nicht|kein|pas|statt|anstatt|au\slieu\sde|en\s(?:lugar|vez)\sde|y?\sno)|不是|而非|不选)"
    r"(?:\s(?:the|a|an|at|it['’]s|is|to\sbe|las?|le|el|der|die|that\sof|option|point|box|image|picture|region|figure)){0,3}[\s*_\"'`(]{0,3}\Z"
    r"|\b(?:between|zwischen|entre)\s\d{1,2}(?:\suhr)?\s(?:and|und|et|y)\s\Z"
)
DENIED = re.compile(
    r"~~|[\"']\s?:|(?:,[^.,;!?\n]{1,60},)?\s(?:is|was|are|does|do|has)(?:\snot|n['’]t)\s\w|\s(?:can['’]?t|cannot|can\snot)\sbe\s(?:ruled|excluded)|[^.,;!?\n]{0,24}\b(?:at\sfirst|appears\sright|might\sseem)\b|\s(?:no|nicht|pas),|,\s(?:on\sthe\sother\shand|by\scontrast|however)\b"
)
OR = re.compile(
    r"\A[^.\n;]{0,20}(?:\b(?:or|oder|ou|o|u)\b|或|还是)[^.\n;]{0,24}\Z|\A\s?/\s?\Z"
    r"|\b(?:maybe|possibly|could\sbe|might\sbe|perhaps|vielleicht|peut-être|quizás)\b|[;.,]\s(?:but\s)?if\b"
)
ASIDE = re.compile(
    r"\(\s?(?:or|oder|ou|o|also|possibly|maybe|perhaps)\b|\b(?:is\s(?:also\s)?possible|possibly|could\salso|might\sbe|though|although)\b"
)
"""An alternative in brackets, or that is called less likely, leaves the answer standing."""
TO = re.compile(
    r"(?!\s—\s)\s?[^\W\d]{0,6}°?%?\s?(?:-|–|—|to|through|until|bis|à|hasta|至|到|~|～)\s?[$€£]?(?:las?\s)?"
)
AND = re.compile(
    r"[^.\n;]{0,20}\b(?:and|und|et|y)\b[^.\n;]{0,16}|[^.\n;]{0,6}(?:和|与)[^.\n;]{0,6}"
)
ALL = re.compile(r"\s?(?:都|are\sboth|both|beide|sont|ambos)")
BETWEEN = re.compile(
    r"(?:\b(?:between|both|zwischen|entre|from|von|desde)\b|介于|在)[\w\s]{0,12}\Z"
)
LISTED = re.compile(
    r"[\])}>]{0,3}(?:;|(?:,|[ ]|\n(?!\n)|[ ]?(?:,[ ])?(?:and|und|et|y)[ ])[ ]?(?:the[ ])?"
    r"|[ ]\w{1,16}[ ]?;)[ ]?[\[({<]{0,3}"
)
"""What stands between values of which none is the answer."""
CALCULATES = re.compile(
    r"(?:[\d\s.,:+*/×÷−·()=≈→%$€£°{}_^&-]|\\[a-z]++|\\[,;!]|[^\W\d_]{1,5}+(?![^\W\d_]))*+"
)
EQUALS = re.compile(r"(?:[=≈→]|\\approx)[\s*$€£({]{0,6}+(?:\\(?:text|mathbf|mathrm|boxed)\{)?\Z")
"""What stands between a value and the one that it comes to, and how that ends."""
OPERATES = re.compile(
    r"\s?[^\W\d]{0,8}\)?\s?(?:[-+×*/÷−·]|minus|plus|times|\\times|\\cdot|\\div)\s?\(?[$€£]?\d"
    r"|\s(?:[^\W\d]{1,12}\s){1,3}(?:past|beyond|after|above|below|before)\s(?:the\s)?\d"
)
"""What stands behind a value that is only a part of a calculation: 3 ticks past 40."""
EACH = re.compile(r"\b(?:each|every|jeder?|chaque|cada)\s[^.,;:\n\d]{1,40}\Z")
"""What makes a number a step of the scale."""
IN_ALL = re.compile(
    r"\s(?:[^\W\d]{1,12}\s){0,2}(?:in\s(?:total|all)|altogether|insgesamt|au\stotal)\b"
)

OTHER_BEFORE = re.compile(
    r"(?:\b(?:confiden\w*|certainty|sicherheit|konfidenz|confiance|confianza|certeza|sure)|置信度|把握)"
    r"(?:[\s:：=(*\"'~≈]|\b(?:is|of|level|about|score|around|est|de|du|del|à|ist|am\si|am)\b|大约|约|为|是|[?？])*\Z"
    r"|\b(?:out\sof|von\sinsgesamt|sur\sun\stotal\sde)\s(?:a\s|the\s|all\s|these\s)?(?:total\s(?:of\s)?|possible\s|maximum\s(?:of\s)?)?\Z"
    r"|\b(?:scale|axis|axes|ranges?|ranging|dial|goes|runs|steps?\sof|skala|achse|reicht|échelle|axe|escala|eje|表盘|刻度|量程)\b(?:(?!\b(?:is|value|at|reads?|reading|shows)\b)[^.,;\n]){0,40}\Z"
    r"|\b(?:figure|fig\.|table|step|image|picture|chart|page|section|panel|equation|exercise|problem|question|row|column|category|abbildung|abb\.|schritt|tabelle|figura|étape|paso|tabla|tableau)"
    r"\s?[#(]?\Z|[图表第]\s?\Z|(?:\b(?:top|last|past)|满分)\s\Z|\bsteps?\s(?:are\s)?of\s\Z"
)
OTHER_AFTER = re.compile(
    r"[ ]?(?:%|percent|per\scent|prozent|pour\scent)?[ ]?"
    r"(?:(?:sure|certain|confiden|probab|likel|chance|sicher|sûr|segur)|/\s?10\b|的把握)"
    r"|(?:\s?[-–]\s?\d{1,6})?\]\s(?:scale|range|axis)|-(?:year|month|day|minute|hour|point)(?!\smark)"
)
BESIDE_OTHERS = re.compile(
    r"\b(?:probability|likelihood|chance|accuracy|p|score|n)(?:[\s:：=(*\"'~≈]|\b(?:is|of)\b)*\Z"
    r"|,\s(?:up|down)\s(?:by\s)?\Z"
)
"""What makes a number another than the answer where there are more."""
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:[^\d.,]|[.,](?!\d)|\Z)")
_BEFORE_YEAR = re.compile(
    r"\b(?:in|of|for|since|from|to|until|by|between|and|year|years|during|before|after|than|with|im\sjahr|jahr|von|bis|en|de|a|año|l['’]an|depuis|entre|et|y|,)\s?\(?\Z|[从到至]\Z"
)
_OF_ALL = re.compile(
    r"\b(?:of|from|von|sur|de)\s(?:the|its|all|these|those|den|les|los|las)\s(?:\w{1,12}\s)?\Z"
)
LIMITS = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|larger|smaller|taller|shorter|better)\sthan|at\s(?:least|most)|above|below|over|under|up\sto|past|beyond|short\sof|mehr\sals|weniger\sals|mindestens"
    r"|höchstens|unter|über|plus\sde|moins\sde|au\smoins|más\sde|menos\sde|al\smenos)\s(?:the\s)?[$€£]?\Z|(?:超过|不到|少于|多于|至少|(?<=\w\s)[<>]|[≤≥])\s?\Z"
)
"""What makes a number a bound of the answer."""


EXACT = re.compile(
    r"[ ,(]{0,3}(?:to\sbe\s(?:exact|precise)|exactly|genau(?:er)?\b"
    r"|exactement|exactamente|更准确)"
)
RIGHT = re.compile(
    r"[ *_).:\"'–—-]{1,5}(?:this\sis\s)?"
    r"(?:(?:correct|true|yes|right|richtig|vrai|matches)\b(?![^\W\d]|\s[a-z]+\s(?:one|hand))|✅|✔|✓|正确|对)"
)
WRONG = re.compile(
    r"[ *_).:\"'–—-]{1,5}(?:this\sis\s)?"
    r"(?:(?:incorrect|wrong|false|no(?!\s?,|\s\w)|falsch|faux|too\s\w+)\b|❌|✗|✘|错)"
)
"""What a check of each choice says behind it."""


SUPERIOR = re.compile(
    r"[^.!?\n]{0,40}?\b(?:is|are|appears?|seems?|looks?|has|have|shares?|ist|est|es)\b[^.!?\n]{0,20}?\b(?:more|most|best|better|same|similar|closer|higher|larger|\w{3,}est|meisten?|plus|más)\b"
    r"|[^.!?\n]{0,40}?\s(?:more|better|best|matches|fits)\s\w"
)
"""What begins a comparison of which the subject comes first."""
O_CLOCK = re.compile(r"[ -]o['’]?\s?clock\b")
"""Beside another number, a place on a dial."""
REFERENCE = re.compile(r"<\|object_ref_start\|>.{0,400}?<\|object_ref_end\|>", re.DOTALL)
RUNS_ON = re.compile(r"\n\s{0,4}[#*_]{0,4}\s?(?:question|q|hint|user|human)\s?\d{0,3}\s?:")
"""Where a text goes on with another question."""
FORMULA = re.compile(
    r"\bsqrt\b|\\sqrt|\\pi\b|π|√|\\infty|[a-z]\s?\^|(?<![a-z\\])[-+]?\s?\d{0,9}[a-z]\s?[-+]\s?\d|\d\s?[-+]\s?\d{0,9}[a-z](?![a-z])|\(\s?-?\d{1,9}\s?,\s?-?\d{1,2}\s?\)"
)
"""What holds letters or roots, or a pair: no number, though numbers are in it."""
TWO_UNITS = re.compile(
    r"\s?(°\s?[cf]|bar|psi|k?pa|mpa|km/h|kph|mph|kg|lbs?|oz|g|[ckm]?m|in|inch(?:es)?|ft|feet|l|gal|miles)\b"
)


def is_year(part: str, span: tuple[int, int]) -> bool:
    """Whether a number is the year of a date, or the "ten" of "six of the ten bars"."""
    if _OF_ALL.search(part, max(0, span[0] - 30), span[0]):
        return True
    if not _YEAR.match(part, span[0]):
        return False
    near = part[max(0, span[0] - 16) : span[0]]
    return bool(_BEFORE_YEAR.search(near)) or part[span[1] : span[1] + 1] == "年"


def looks_like_year(part: str, span: tuple[int, int]) -> bool:
    """Whether a number may be a year; it is one if others may not."""
    return bool(_YEAR.match(part, span[0]))


def is_range(part: str, start: int, between: str) -> bool:
    """Whether `between` makes a range of two values, of which the first begins at `start`."""
    if TO.fullmatch(between):
        return True
    return bool(AND.fullmatch(between) and BETWEEN.search(part, max(0, start - 24), start))


SENTENCE_END = re.compile(
    r"[.!?…](?<!\bapprox.)(?<!\b[ap]\.m.)(?<!\bca.)(?<!\bno.)(?<!\brs.)(?<!\b[ei]\.[eg].)(?<!\bfig.)(?<!\bhrs.)(?<!\bd\.h.)(?<!^\d.)(?<!\n\d.)"
    r"[\"'*_)\]]{0,3}\s+(?=\S)|[。！？]|\n"
)
