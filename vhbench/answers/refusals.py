"""How models refuse, and say that no image has come, in the commoner languages."""

import re

_CANNOT = (
    r"(?:can\s*not|can't|cannot|could\s*n(?:o|')t|won't|will\s+not|do(?:es)?\s+not|don't|did\s+not|didn't|am\s+not"
    r"|'m\s+not|unable|not\s+able"
    r"|not\s+(?:currently\s+)?(?:possible|capable|allowed|permitted)|incapable|lack|must\s+decline|have\s+to"
    r"\s+decline|refuse)"
)
_SHOWN = (
    r"(?:provided|attached|uploaded|included|shared|given|supplied|sent|received|available|accessible|displayed"
    r"|visible\s+to\s+me)"
)
_PICTURE = (
    r"(?:images?|pictures?|photos?|photographs?|visuals?|screenshots?|attachments?|visual\s+(?:content|input|information)"
    r"|image\s+file|files?)"
)
_ENDS = (
    r"(?=\s*(?:[,:.!?]|\Z|(?:is|was|are|were|has|have)?\s*(?:been\s+)?(?:" + _SHOWN + r")\b|you\b|that\s+you|from"
    r"\s+you|with\s+your"
    r"|in\s+(?:your|our|this|the)\s+(?:message|chat|conversation|prompt|question|post|input|context)"
    r"|directly|yet\b|here\b|at\s+(?:the|this)\s+moment|right\s+now|myself|or\b|and\b|so\b|as\b|because|since"
    r"|therefore|to\s+(?:analy|answer|work|help)|on\s+my))"
)
_REFUSED = (
    # No image has come.
    rf"\bno\s+(?:such\s+)?{_PICTURE}\s+(?:(?:was|is|were|are|has|have)\s+)?(?:been\s+)?(?:actually\s+)?{_SHOWN}",
    rf"\bno\s+{_PICTURE}\s+(?:for\s+me\s+)?to\s+(?:see|analy|look|view|work|refer|describe|evaluate|examine)",
    rf"\bno\s+{_PICTURE}\s+in\s+(?:your|our|this|the)\s+(?:message|chat|conversation|prompt|question|post|input)",
    rf"\b(?:isn't|is\s+not|aren't|wasn't)\s+(?:an?|any)\s+{_PICTURE}\s+{_SHOWN}",
    rf"\b(?:the|your|an?|any|that)\s+{_PICTURE}\s+(?:[^.,]{{0,40}}\s)?(?:(?:is|was|are|were|has|have|does|did)(?:"
    rf"\s+not|n't)|failed\s+to|couldn't|cannot|can't)"
    rf"\s+(?:be\s+|been\s+|seem\s+to\s+be\s+|appear\s+to\s+be\s+)?(?:{_SHOWN}|load|upload|come\s+through|attach"
    rf"|open|process|render|viewed|accessed|seen|loaded)",
    rf"\b(?:forgot|forgotten|neglected)\s+to\s+(?:attach|upload|include|share)|\b(?:haven't|have\s+not|didn't|did"
    rf"\s+not)\s+(?:\w+\s+)?"
    rf"(?:attach|upload|includ|shar|provid|sent|send)\w*\s+(?:an?|any|the)\s+{_PICTURE}",
    rf"\b(?:i|we)(?:\s+|,[^.]{{1,60}},\s*)(?:am\s+|'m\s+|do\s+)?(?:sorry\s+)?(?:\w+\s+)?{_CANNOT}\s+(?:\w+ly\s+"
    rf"|yet\s+)?(?:to\s+)?"
    r"(?:see|view|access|open|display|load|find|receive|process|analy[sz]e|interpret|perceive|look\s+at|examine"
    r"|inspect|evaluate|read|detect)"
    rf"(?:\s+(?:or|and)\s+\w+)*\s+(?:to\s+)?(?:(?:the|any|your|this|that|an|these|those|actual|specific|attached"
    rf"|provided|uploaded|visual)\s+)*{_PICTURE}{_ENDS}",
    rf"\bi(?:'m|\s+am)\s+(?:\w+\s+)?(?:unable|not\s+able)\s+to\s+(?:see|view|access|open|process|analy[sz]e"
    rf"|interpret)\s+(?:the|any|your|this|that|these)?\s*{_PICTURE}{_ENDS}",
    rf"\b(?:don't|do\s+not|doesn't|lack|without)\s+(?:\w+\s+)?(?:have\s+)?(?:\w+\s+)?(?:access\s+to|the"
    rf"\s+(?:ability|capability|capacity)\s+to|any\s+way\s+to|capabilit|visual)"
    rf"[^.]{{0,60}}{_PICTURE}",
    rf"\A\W*(?:\w+\W+){{0,2}}(?:please|could\s+you|can\s+you|kindly|you\s+(?:need|have)"
    rf"\s+to)\b[^.]{{0,20}}\b(?:provide|upload|attach|share|send|resend|supply|include|post|insert)\b"
    rf"[^.]{{0,40}}\b(?:{_PICTURE}|link|url|scene|it\b)",
    # A policy stands against it.
    rf"\b(?:i|we)(?:'m|\s+am)?\s+(?:\w+\s+)?{_CANNOT}\s+(?:to\s+)?(?:be\s+able\s+to\s+)?(?:assist|help|comply"
    rf"|fulfil|discuss|engage|participate|comment|support|continue"
    r"|(?:do|process|complete|respond\s+to|answer|satisfy|perform|handle)\s+(?:that|this|your|the"
    r"|such)\s*(?:question|request|task|prompt|query|image)?s?\s*\Z"
    r"|(?:identify|recogni[sz]e|name|determine\s+the\s+identity\s+of|make\s+(?:judg|inferences)|provide"
    r"\s+(?:identif|information\s+(?:about|on)|details\s+about|assistance|help))"
    r"\s*(?:(?:real|specific|the|this|that|these|those|private|particular|individual|human)\s+)*(?:people"
    r"|persons?\b|individuals?|who\b|wo?m[ae]n\b|faces?\b|anyone|someone|identit|celebrit"
    r"|based\s+on|in\s+images|from\s+images))",
    r"\b(?:as|i(?:'m|\s+am)(?:\s+just)?)\s+(?:an?|only)\s+(?:ai\b|artificial|(?:large\s+)?language|text-based"
    r"|virtual|chat)[^.]{0,120}\b(?:cannot|can't|not|don't|unable|lack|only|no)\b"
    r"(?!\s+(?:be\s+)?(?:100|completely|sure|certain|entirely|fully))",
    r"\bi\s+must\s+(?:decline|refuse)|\bi\s+(?:have\s+to|will\s+have\s+to|refuse\s+to|decline\s+to)\s+(?:decline"
    r"|refuse|answer|assist|help)|\b(?:against|violat\w+)\s+(?:\w+\s+)?(?:my|our|the|usage|content)\s+"
    r"(?:\w+\s+)?(?:polic|guidelines|programming|terms)",
)
_REFUSAL = re.compile("(?i)" + "|".join(_REFUSED))
_COURTESY = re.compile(
    r"(?i)\A\W*(?:(?:i'?\s*a?m|we'?\s*a?re)?\s*(?:so\s+|very\s+|really\s+|terribly\s+)?sorry\b(?:\W+(?:for|about"
    r"|that|if)\b.*)?|(?:my|our|i)?\s*apolog\w+\b.*|unfortunately|thank\w*\b.*|hello|hi\b.*|sure"
    r"|of\s+course|certainly|okay|ok"
    r"|(?:if|once|when|without|unless|until|after)\b.*|(?:please|kindly|feel\s+free|let\s+me\s+know|you\s+(?:can"
    r"|may|could|might)|could\s+you|can\s+you|would\s+you|do\s+you|is\s+there\s+any|what\b|how\b)\b.*"
    r"|(?:i|i'd|i'll|i\s+would|we)\s+(?:can|would|will|could|be|love|only|may)?\s*(?:only\s+|also\s+|certainly\s+"
    r"|still\s+|gladly\s+)?(?:be\s+)?(?:happy|glad|able|help|assist|try|do\s+my\s+best|provide|offer|describe"
    r"|answer|need|process|generate|work|love|respond|understand)\b.*"
    r"|(?:it|this)\s+(?:seems|appears|looks|might|may|could)\b[^.]*|my\s+(?:responses|knowledge|training"
    r"|capabilities|abilities|purpose|function|guidelines)\b.*|(?:therefore|thus|so|hence|as\s+such)"
    r"|i\s+(?:am|was|have\s+been)\s+(?:designed|trained|programmed|an?\s+(?:ai|language|text)).*|i'm\s+(?:designed"
    r"|trained|an?\s+(?:ai|language|text)|here).*)\W*\Z"
)
_HELPLESS = re.compile(
    r"(?i)\b(?:cannot|can't|can\s+not|unable|not\s+able|not\s+possible|impossible|don't|do\s+not|couldn't)\b.*"
    r"\b(?:determine|tell|answer|say|describe|provide|identify|confirm|assist|help|know|verify|analy[sz]e|see|give"
    r"|offer|generate|make|comment)\b"
)
_CUT = re.compile(
    r"(?i)(?<!\w\.\w)[.!?;。！？\n]+|(?:,\s*|\s+)(?:but|however|so|therefore|and\s+therefore|thus)\b,?\s*"
    r"|[，,]\s*(?=但|不过)"
)
_CONTENT = re.compile(
    r"(?i)\b(?:yes|no|yeah|nope|true|false)\b\W*\Z|\A\W*(?:yes|no|yeah|nope)\b|\A\W*\(?[A-Z]\)?\W*\Z|\([A-H]\)"
)
_ABROAD = re.compile(
    r"(?i)(?:抱歉|对不起|對不起|不好意思|遗憾|作为(?:一个|一款)?(?:ai|人工智能|语言模型)).{0,40}(?:无法|無法|不能|没法|没有(?:办法|能力))(?!确定|確定|判断|判斷|确认|分辨"
    r"|看到?(?!.{0,8}(?:图|圖|照片)))"
    r"|我(?:目前|暂时)?(?:无法|無法|不能|没有办法|没法)(?:直接)?(?:查看|看到|看见|访问|打开|显示|处理|识别|接收|分析)(?:您|你|到|这|該|该|任何|此|提供|上传|发送|的|张"
    r"|幅)*(?:图|圖|照片)"
    r"|(?:没有|未|沒有)(?:看到|收到|提供|上传|附上|检测到)(?:您|你|任何|一张|的)*(?:图片|图像|圖片|照片)|请(?:您|你)?(?:重新)?(?:上传|提供|发送)(?:一张|您的|你的|该"
    r"|相关|清晰的)*(?:图片|图像|照片)"
    r"|(?:申し訳|すみません|恐れ入り|残念ながら).{0,60}(?:できません|できかねます|お答えでき|お手伝い|見えません|ありません)(?!.{0,4}犬)|画像(?:が|は"
    r"|を)(?:\w{0,6})(?:提供|添付|確認|閲覧|表示|見る)\w{0,8}(?:ません|ない|ください)"
    r"|(?:죄송).{0,60}(?:수\s*없|없습니다|못합니다|어렵습니다)|이미지(?:를|가|는)?\s*(?:볼\s*수\s*없|제공되지|첨부되지|확인할\s*수\s*없)"
    r"|(?:désolée?|navrée?|je\s+m'excuse)\b.{0,40}\bne\s+(?:peux|suis|puis|vois)\s+pas\s+(?:vous\s+)?(?:aider"
    r"|voir\s+(?:l'|d'|les|cette)|aid|identif|répond|trait|acc|fourn|en\s+mesure|capable|l'image|d'image)"
    r"|\bje\s+ne\s+(?:peux\s+pas\s+(?:voir|visualiser|accéder|ouvrir|afficher)|vois\s+pas)\s+(?:à\s+)?(?:l'|d'"
    r"|les\s+|cette\s+|votre\s+)image|aucune\s+image\s+n'(?:a|est)|veuillez\s+(?:fournir|télécharger|joindre"
    r"|envoyer|partager)"
    r"|(?:tut\s+mir\s+leid|entschuldig\w+|bedau[e]?r\w*|leider)\b.{0,40}\b(?:nicht|keine)\s+(?:\w+"
    r"\s+)?(?:weiter)?(?:helfen|beantworten|identifizieren|unterstützen|behilflich|bilder\s+(?:sehen|anzeigen))"
    r"|\bich\s+kann\s+(?:leider\s+)?(?:das|die|dieses|keine|ihr|dein|das\s+von\s+\w+\s+\w+)\s+bild(?:er)?"
    r"\s+(?:leider\s+)?(?:nicht\s+)?(?:sehen|anzeigen|öffnen|ansehen|einsehen)|kein\s+bild\s+(?:bereit|angeh|hochg"
    r"|zur\s+verf|mitg|beigef)"
    r"|\bbitte\s+(?:laden|stellen|fügen|senden|lade|sende|füge)\b.{0,40}\bbild"
    r"|(?:lo\s+siento|disculpa|lamento|perd[oó]n)\b.{0,30}\bno\s+(?:puedo|me\s+es\s+posible|soy\s+capaz|estoy"
    r"\s+en)\s+(?:de\s+)?(?:ayud|asist|ver\s+(?:la|las|el|im)|identif|respond|proces|proporc|acced|cumpl|de\s+)"
    r"|\bno\s+puedo\s+(?:ver|acceder\s+a|visualizar|abrir)\s+(?:la|las|el|esta|ninguna)?\s*im[aá]gen|no\s+se"
    r"\s+(?:ha\s+)?(?:proporcion|adjunt|incluy)\w+\s+(?:ninguna|la|una)\s+imagen|por\s+favor,?\s+(?:proporcion|sub"
    r"|adjunt|env[ií])\w+"
    r"|(?:desculpe|sinto\s+muito|lamento|me\s+desculpe)\b.{0,30}\bnão\s+(?:posso|consigo|sou\s+capaz)\s+(?:de"
    r"\s+)?(?:ajud|ver\s+(?:a|as|im)|identif|respond|process|fornec|acess|auxili)|\bnão\s+(?:consigo|posso)"
    r"\s+(?:ver|acessar|visualizar|abrir)\s+(?:a|as|essa|nenhuma)?\s*imag|nenhuma\s+imagem\s+foi"
    r"|(?:mi\s+dispiace|spiacente|scus\w+|purtroppo)\b.{0,30}\bnon\s+(?:posso|riesco|sono\s+in\s+grado)\s+(?:a\s+"
    r"|di\s+)?(?:aiut|veder\w*\s+(?:l'|le|imm)|identif|rispond|elabor|forn|acced|assist)|\bnon\s+(?:posso|riesco"
    r"\s+a)\s+(?:vedere|visualizzare|aprire)\s+(?:l'|le\s+)?immagin|nessuna\s+immagine\s+è\s+stata"
    r"|(?:извини\w*|к\s+сожалению|прости\w*|прошу\s+прощения)\b.{0,30}\bне\s+(?:могу|имею|в\s+состоянии"
    r"|способ\w+)\s+(?:с\s+этим\s+)?(?:вам\s+)?(?:помоч|увид|видеть\s+(?:изобр|карт|фото)|просм|идентиф|ответ|обраб"
    r"|предост|доступ|возможн|распозн|откры)"
    r"|\bя\s+не\s+(?:могу\s+(?:увидеть|видеть|просмотреть|открыть)|вижу)\s+(?:\w+\s+)?(?:изображени|картинк|фото)"
    r"|изображение\s+не\s+(?:было\s+)?(?:предоставлен|прикреплен|загружен)"
    r"|(?:عذر|آسف|أعتذر|للأسف).{0,40}(?:لا\s+أستطيع|لا\s+يمكنني|غير\s+قادر)|(?:क्षमा|माफ़|माफ|खेद).{0,60}(?:सकत"
    r"|असमर्थ|नहीं\s+देख|नहीं\s+कर)"
)


def refuses(text: str) -> bool:
    """Tell whether a text refuses in one of its first sentences, and says nothing else than that it does."""
    if _ABROAD.search(text[:400]):
        return True
    parts = [part.strip() for part in _CUT.split(text) if part and part.strip()]
    refusals = [index for index, part in enumerate(parts[:40]) if _REFUSAL.search(part)]
    if not refusals or refusals[0] > 3:
        return False
    return not any(_answers(part) for index, part in enumerate(parts) if index not in refusals)


def _answers(part: str) -> bool:
    """Tell whether a sentence may answer something: it is no courtesy, and no helplessness either."""
    if _CONTENT.search(part):
        return True
    return not (_COURTESY.match(part) or _HELPLESS.search(part)) and len(part.split()) > 1
