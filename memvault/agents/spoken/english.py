"""The commands in English."""

from __future__ import annotations

from memvault.agents.spoken.intent import Language, RuleArgument, RuleGroup, SpokenRule

_THIS = r"(?:this|that|it)"
_MEMORY = r"(?:(?:your|my|our|the|long[-\s]term) )*memory"
# "Keep it in memory" is said of programs; one's own memory, and adding to it, is not.
_TO_MEMORY = r"(?:(?:in|into|to) (?:your|my|our)(?: long[-\s]term)? memory|to (?:the )?(?:long[-\s]term )?memory)"
_KEEP = r"(?:save|store|add|commit|put|keep|write|record)"
_SEPARATED = r"(?:\s*[:–—]|\s*-+(?=\s)|\s*\.{3}|\s*…)"
_LATER = (
    r"for (?:now|later|next time|the (?:next (?:time|session)|future)|(?:our|my|the) next session|future reference"
    r"|me|us)"
)
_EXCHANGE = r"(?: (?:conversation|exchange|discussion|decision|answer|solution|fix|lesson|one|session))?"
_DEGREE = r"(?: (?:really|very|so|truly|highly|deeply|quite))?"
_IS_SIGNIFICANT = rf"(?:this|that|it)(?: is|'s){_DEGREE} significant"
_MARKED = rf"(?:mark|flag|tag|save|store|remember|keep) {_THIS} as (?:(?:really|very) )?significant"
_MATTERS = (
    r"(?: is|,? (?:(?:as|because|since) )?(?:it(?: is|'s)|this is))?(?: (?:really|very|so))?"
    r" (?:important|crucial|critical|essential|vital|because it matters)"
)
# What programs and prompts keep, rather than people.
_NO_PART = (
    r"(?! (?:setting|state|value|choice|option|variable|position|selection|prompt|role|persona|template|instructions?"
    r"|format|input|output|result|snippet|parameter|flag|config|scroll|window|cursor|field|key|token|offset)\b)"
)
_UNTIL = r"(?: (?:until|till) (?P<until>\w[^.!?\n]{1,40}))?"
_LENGTH = (
    r"(?: for (?P<span>(?:an?|one|two|three|half an|\d{1,3})\s?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?))(?!\w))?"
)
_SESSION = r"(?:this|the|our) (?:session|conversation|chat)"

# "Remember that bug?" points at something; "remember that bugs are filed in June" tells something.
_POINTS = (
    r"(?!(?:time|day|night|week|weekend|bug|issue|error|problem|function|file|script|thing|meeting|talk|chat|thread"
    r"|conversation|guy|one|song|story|trip|class|method|code|test|change|commit|branch|fix|idea|trick|mail|e-?mail"
    r"|discussion|example|place|book|movie|film|joke|moment|summer|winter|year|month|evening|morning|stuff|part)"
    r"(?! (?:is|was|has|had|needs?|must|should|can|will|runs?|lives?|belongs?|costs?|takes?|starts?|ends?)\b)\b)"
)
# What is said to set an assistant to work: its role, its caution, the case at hand.
_INSTRUCTS = r"(?!(?:you|you're|your|this is|this isn't|these are|it is|it's|there (?:is|are|may|might|can))\b)"
_NO_ORDER = (
    r"(?!\s*(?:you|you're|your|respond|reply|answer|return|output|write|only|do not|don't|no|use|be|stay|keep"
    r"|never|always|think|it's|this)\b)"
)
_OF_MINE = (
    r"(?:my|our)(?: [\w'-]+){1,5}? (?:is|are|isn't|aren't|was|were|has|have|had|needs?|starts?|ends?|lives?"
    r"|works?|runs?"
    r"|uses?|likes?|prefers?|hates?|must|should|can't|cannot|never|always|wants?|goes|comes?)\b"
)
_PAST = (
    r"(?!(?:i|we)(?:'d)?(?: (?:had|have|just|once|already|also|both))* (?:told|said|asked|talked|discussed|spoke|did"
    r"|had|tried|fixed|saw|was|were|worked|wrote|mentioned|showed|gave|made|went|used to|built|set|looked|thought|met"
    r"|talking)\b)"
)
_WHEN = (
    r"(?=[^\n]*?(?<!like\s)(?<!with\s)(?<!and\s)\b(?:today|tonight|tomorrow"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|next (?:week|month|year)"
    r"|(?:in|within) (?:an?|one|two|three|four|five|six|\d+) (?:minutes?|hours?|days?|weeks?|months?)"
    r"|at \d{1,2}(?::\d\d)?\s?(?:am|pm|o'clock)?(?! \w)|by \d|on the \d|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:by|on|before|until|in|of) (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december))(?![\w'-])(?= (?:about|with|for|to|and|or|before|after|at|on|by|from|so|because|morning|evening"
    r"|afternoon|night|in the (?:morning|evening|afternoon))\b|\s*[.,;:!?)–—]|\s*$|,? (?:please|pls|thanks)))"
)

ENGLISH = Language(
    openers=(
        r"ok(?:ay)?|great|perfect|nice(?: work| one)?|thanks(?: a lot)?|thank you|good|cool|yes|yeah|yep|exactly|right"
        r"|well|so|and|also|hey|hi|hello|claude|codex|cursor|gemini|alright|hm+|awesome|super|brilliant|wow|ah|oh"
        r"|for future reference|from now on|by the way|btw|one more thing|please note|fyi|important|done|sure"
    ),
    polite=(
        r"please|pls|plz|kindly|always|let's|let us|now|time for|you can|you may"
        r"|(?:can|could|would) you|i(?:'d| would) like you to|i (?:want|need) you to"
    ),
    tails=(
        rf"please|pls|plz|thanks|thank you|now|right now|for now|{_LATER}|for today|here|too|as well|again|ok|okay|then"
        r"|(?:will|would|can|could) you|before we (?:stop|go|continue|move on|close|finish|end)|so far"
        r"|(?:(?:of|for|from) )?this session|claude|everyone|somewhere safe|forever|in case we need it"
    ),
    groups=(
        RuleGroup(
            ("this is", "this's", "that is", "that's", "it is", "it's"),
            (
                SpokenRule("significant", rf"(?:this is|this's){_DEGREE} significant", alone=True),
                SpokenRule("significant", rf"{_IS_SIGNIFICANT}[,;:.]? (?:so |and )?(?:please )?remember {_THIS}"),
                SpokenRule("significant", rf"{_IS_SIGNIFICANT}{_SEPARATED}", RuleArgument.TEXT, weak=True),
            ),
            needs=("significant",),
        ),
        RuleGroup(
            ("mark", "flag", "tag", "keep", "save", "store", "remember"),
            (
                SpokenRule(
                    "significant",
                    _MARKED,
                ),
                SpokenRule(
                    "significant",
                    _MARKED + _SEPARATED,
                    RuleArgument.TEXT,
                ),
                SpokenRule("significant", rf"remember {_THIS}[,;]? (?:because |as |since )?{_IS_SIGNIFICANT}"),
                SpokenRule(
                    "significant",
                    rf"remember {_THIS}[,;]? (?:because |as |since )?{_IS_SIGNIFICANT}{_SEPARATED}",
                    RuleArgument.TEXT,
                ),
            ),
            needs=("significant",),
        ),
        RuleGroup(
            ("remember", "memori"),
            (
                SpokenRule("remember", rf"(?:remember|memori[sz]e) {_THIS}{_EXCHANGE}"),
                SpokenRule(
                    "remember",
                    rf"(?:remember|memori[sz]e) {_THIS}(?: {_LATER})?(?:,? please)?{_SEPARATED}",
                    RuleArgument.TEXT,
                ),
                SpokenRule("remember", rf"(?:remember|memori[sz]e) {_LATER}{_SEPARATED}", RuleArgument.TEXT),
                SpokenRule("remember", rf"remember {_THIS}{_MATTERS}{_SEPARATED}", RuleArgument.TEXT),
                SpokenRule(
                    "remember",
                    rf"(?:remember|memori[sz]e) this(?! is\b){_NO_PART}(?=(?: [\w'-]+){{1,3}}\s*:)",
                    RuleArgument.TEXT,
                    doubtful=True,
                ),
                SpokenRule(
                    "remember",
                    r"remember this,(?! (?:he|she|they|we|i|you|it|but|or|and|if|when)\b)",
                    RuleArgument.TEXT,
                ),
                SpokenRule(
                    "remember",
                    rf"remember that (?:{_LATER} )?{_POINTS}{_INSTRUCTS}(?=[\w{{\"“'「(\ufffc])",
                    RuleArgument.CLAUSE,
                    weak=True,
                ),
                SpokenRule(
                    "remember",
                    rf"remember (?=(?:i|i'm|i've|i'd|we|we're|we've)\b|{_OF_MINE}){_PAST}(?=[^?]* \w)",
                    RuleArgument.CLAUSE,
                    weak=True,
                ),
                SpokenRule("remember", rf"remember(?:,? please)?\s*:{_NO_ORDER}", RuleArgument.TEXT, weak=True),
                SpokenRule("remember", r"remember to (?=(?:always|never)\b)", RuleArgument.CLAUSE, weak=True),
                SpokenRule("todo", rf"remember to (?!not\b){_WHEN}", RuleArgument.CLAUSE, weak=True),
            ),
        ),
        RuleGroup(
            ("save", "store", "add", "commit", "put", "keep", "write", "record"),
            (
                SpokenRule("remember", rf"{_KEEP} {_THIS}{_EXCHANGE} {_TO_MEMORY}"),
                SpokenRule(
                    "remember",
                    rf"{_KEEP} (?:{_THIS} )?(?:in|into|to) {_MEMORY}(?:,? please)?{_SEPARATED}",
                    RuleArgument.TEXT,
                    doubtful=True,
                ),
                SpokenRule("remember", rf"{_KEEP} (?:{_THIS} )?(?:in|into|to) {_MEMORY} that\b", RuleArgument.CLAUSE),
            ),
            needs=("memory",),
        ),
        RuleGroup(
            ("make a note", "take a note", "make a memory"),
            (
                SpokenRule("remember", rf"make a (?:note|memory) (?:of|from|about) {_THIS}{_EXCHANGE}"),
                SpokenRule(
                    "remember",
                    rf"(?:make|take) a note(?: of {_THIS}| that)?{_SEPARATED}",
                    RuleArgument.TEXT,
                    doubtful=True,
                ),
                SpokenRule("remember", rf"make a memory (?:of|from) {_THIS}{_SEPARATED}", RuleArgument.TEXT),
            ),
        ),
        RuleGroup(
            ("make sure", "be sure", "let me remember"),
            (
                SpokenRule(
                    "remember",
                    rf"(?:(?:make|be) sure(?: to| (?:that )?you)|let me) remember {_THIS}{_SEPARATED}",
                    RuleArgument.TEXT,
                ),
            ),
            needs=("remember",),
        ),
        RuleGroup(
            ("don't forget", "do not forget", "never forget"),
            (SpokenRule("remember", rf"(?:don't|do not|never) forget {_THIS}{_SEPARATED}", RuleArgument.TEXT),),
        ),
        RuleGroup(
            ("remind me to", "remind me that", "note to", "memo to", "reminder to"),
            (
                SpokenRule("todo", r"remind me to\b", RuleArgument.CLAUSE),
                SpokenRule("todo", rf"remind me that\b{_WHEN}", RuleArgument.CLAUSE),
                SpokenRule(
                    "remember",
                    r"(?:note|memo|reminder) to (?:self|myself)(?:\s*[:–—,]|\s+-)",
                    RuleArgument.TEXT,
                    doubtful=True,
                ),
            ),
        ),
        RuleGroup(
            ("save",),
            (
                SpokenRule(
                    "save",
                    r"save (?:(?:your|my|our|the|this|all) )?(?:session'?s? )?progress(?: of (?:this|the) session)?"
                    rf"(?: (?:in|into|to) {_MEMORY})?",
                ),
            ),
            needs=("progress",),
        ),
        RuleGroup(
            ("dig ",),
            (
                SpokenRule(
                    "dig",
                    r"dig (?:deeper|deep) (?:into|on|in|about)\b(?! (?:this|that|it|these|those|here)\b\s*[.!?]*$)",
                    RuleArgument.TOPIC,
                ),
                SpokenRule(
                    "dig", r"dig up\b(?= (?:what|everything|all|anything|that|our|my|the)\b)", RuleArgument.TOPIC
                ),
                SpokenRule(
                    "dig",
                    r"dig (?:through|in|into) (?:your|my|our) (?:memory|memories|conversations) (?:for|about)\b",
                    RuleArgument.TOPIC,
                ),
            ),
        ),
        RuleGroup(
            ("what", "do you", "tell me", "show me", "remind me", "search", "look", "check"),
            (
                SpokenRule(
                    "about", r"what do you (?:still )?remember (?:about|of|from|regarding)\b", RuleArgument.TOPIC
                ),
                SpokenRule(
                    "about", r"what (?:did i|have i|i) (?:ever )?(?:tell|told) you (?:about|of)\b", RuleArgument.TOPIC
                ),
                SpokenRule(
                    "about",
                    r"do you (?:still )?remember (?:anything|something) (?:about|of|from|regarding)\b",
                    RuleArgument.TOPIC,
                ),
                SpokenRule(
                    "about",
                    rf"what(?:'s| is| do (?:you|we) have) in {_MEMORY} (?:about|on|of|for)\b",
                    RuleArgument.TOPIC,
                ),
                SpokenRule(
                    "about",
                    r"(?:tell|show|remind) me what you (?:still )?(?:remember|have in memory) (?:about|of|from)\b",
                    RuleArgument.TOPIC,
                ),
                SpokenRule(
                    "about",
                    r"(?:search|look in|look through|check) (?:your|my|our) (?:memory|memories) (?:for|about)\b",
                    RuleArgument.TOPIC,
                ),
                SpokenRule("about", r"what does memvault (?:know|remember|have) (?:about|of|on)\b", RuleArgument.TOPIC),
            ),
            needs=("remember", "memor", "memvault", "tell you", "told you"),
        ),
        RuleGroup(
            ("",),
            (
                SpokenRule(
                    "maintain", r"(?:(?:do|run|start|perform) )?(?:(?:some|a|the|your|our) )?memory maintenance"
                ),
                SpokenRule("maintain", r"(?:maintain|tidy(?: up)?|clean up) (?:your|my|our) (?:memory|memories)"),
            ),
            needs=("memory maint", "maintain your", "maintain my", "maintain our", "tidy", "clean up"),
        ),
        RuleGroup(
            ("",),
            (
                SpokenRule(
                    "pause-session",
                    rf"(?:do not|don't|stop) remember(?:ing)? (?:(?:anything|everything) (?:from|of|in) )?{_SESSION}",
                ),
                SpokenRule("pause-session", rf"go incognito|(?:make|keep) {_SESSION} (?:off the record|incognito)"),
                SpokenRule("pause", rf"stop remembering(?: (?:things|anything|everything|stuff))?{_LENGTH}{_UNTIL}"),
                SpokenRule(
                    "pause", rf"(?:pause|stop|disable|switch off|turn off) (?:memvault|remembering){_LENGTH}{_UNTIL}"
                ),
                SpokenRule("pause", rf"(?:turn |switch )?memvault (?:off|pause){_LENGTH}{_UNTIL}"),
                SpokenRule("resume", r"(?:resume|unpause|restart|start|enable|switch on|turn on) memvault"),
                SpokenRule("resume", r"(?:turn |switch )?memvault (?:back )?(?:on|resume)"),
                SpokenRule("resume", r"(?:resume|start) remembering(?: (?:things|again))*"),
            ),
            needs=("memvault", "remembering", "incognito", "off the record", "don't remember", "do not remember"),
        ),
    ),
)
