r"""What sentences of textbooks claim beside formulas: the kinds, and a table of patterns. Every row is data.

A pattern is a regular expression in which a space is any white space and ``<name:type>`` is a piece of mathematics (or a word of the
same meaning) of a type; see :data:`symrnn.read.sentences.TYPES`. ``~`` is a stretch of words of the same sentence without mathematics.
The groups ``s`` name the subjects, ``v`` (and ``w``, joined by a product sign) the value, ``d`` a display that the sentence is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sentence: the role of what it says, how far it reaches, and its meaning with ``{s}`` and ``{v}`` put in.

    Role: claim (can be wrong), condition (restricts what it reaches), mention (takes back), note (listed, not judged).
    Reach: here, next (the display that follows), before (the display before), onward (from here to the end of the section).
    ``words`` are pieces of words of which every sentence of the kind holds one, in small letters; ``a|b+c`` is one of a and b, and c with
    it (``_`` is a space, ``\\x02`` a formula). ``formula`` says that it holds a formula in any case. Other sentences are not searched.
    """

    name: str
    role: str
    reach: str
    meaning: str
    words: str
    formula: bool = False

    @property
    def needles(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The words as a text holds them: one of the sets, of a set every group, of a group one word."""
        sets = (word.replace("_", " ").split("+") for word in self.words.split(" "))
        return tuple(tuple(tuple(group.split("|")) for group in one) for one in sets)


@dataclass(frozen=True, slots=True)
class Row:
    """One pattern: its kind; where the subject is, if the pattern does not say (``function``: the function named last before,
    ``display``: the display before); and the value, if the pattern does not say."""

    kind: str
    pattern: str
    subject: str = ""
    value: str = ""


KINDS: Mapping[str, Kind] = MappingProxyType({k.name: k for k in (
    Kind("size", "claim", "here", "{s} has the size {v}: one number for a vector, two joined by a product sign for a matrix",
         "size shape dimension length order matri vector component entr element coordinate rows is_\x02 are_\x02", formula=True),
    Kind("others", "condition", "here", "every vector of which the text says nothing else lies in {v}", "others other_", formula=True),
    Kind("abbreviation", "condition", "onward", "{s} is another name for {v}",
         "writ denot let stand abbreviat shorthand short_for", formula=True),
    Kind("loss-gradient", "condition", "onward", "{s} is the gradient of the loss by {v}", "gradient|derivative+loss|error|cost|objective",
         formula=True),
    Kind("layout", "condition", "onward", "derivatives lie as {v}", "layout row+gradient|derivative"),
    Kind("total", "condition", "here", "{s} is the sum of the losses {v} of the steps", "sum|adds+step|time", formula=True),
    Kind("rank", "claim", "here", "{s} is an array with {v} axes", "array tensor", formula=True),
    Kind("count", "claim", "here", "{s} is the number of {v}; the spans after the first are displays with a sum up to {s}",
         "number length step element token word character symbol item unit neuron perceptron cell node class categor label "
         "outcome letter feature input output example sample sequence layer parameter weight batch vocabulary size dimension "
         "width", formula=True),
    Kind("range", "claim", "here", "the function {s} takes its values in the interval {v}",
         "squash squeez compress confin restrict limit clip map "
         "output|give|giving|return|produc|yield|take|number|value|range|image|lie|has|stay|remain|_is_|_are_|bounded"
         "+\x02|[|(|between|from|range|interval|zero|0|1"),
    Kind("component-range", "claim", "here", "every component of (what) {s} (gives) lies in the interval {v}",
         "component|entr|element|coordinate|number|value|output|result|activation+\x02|[|(|between|from|range|interval|zero|0|1"),
    Kind("constant", "claim", "here", "the function {s} is constant, with the value or the equation {v}",
         "const identically always", formula=True),
    Kind("identity", "claim", "here", "the function {s} gives back its argument", "identity", formula=True),
    Kind("at", "claim", "here", "what the sentence names, {s}, is meant at {v}",
         "at+time|step|point|moment|where|when|\x02 evaluated", formula=True),
    Kind("bound", "condition", "here", "{v} holds for what the sentence states; the spans after the first are what it is stated of",
         "where with for provided assuming if given and when", formula=True),
    Kind("case", "condition", "next", "the display that follows holds for {v}; the spans are the condition and the display",
         "when if for suppose assum case", formula=True),
    Kind("initial-zero", "condition", "onward", "the sequence {s} begins with zeros",
         "init start+\x02 begin+\x02 set+\x02 tak+\x02 let+\x02 with+\x02"),
    Kind("dropped", "condition", "onward", "{s} (or, without a subject, every {v}) is zero from here on", "bias"),
    Kind("one-hot", "condition", "onward", "{s} has one entry 1 and zeros elsewhere", "hot elsewhere all+\x02"),
    Kind("distribution", "condition", "onward", "the entries of {s} are not negative and sum to one",
         "distribution sum add", formula=True),
    Kind("sums-to-one", "claim", "here", "the components that the function {s} gives sum to one", "sum add"),
    Kind("defining", "mention", "next", "the display that follows says what something is; what it says is not derived",
         "consider recall introduce start begin defin giv comput updat govern describ", formula=True),
    Kind("rejected", "mention", "before", "the text gives this display as a form that is not to be used",
         "not|n't|n’t|wrong|incorrect|false|invalid|tempting|mistake+\x02 not|n't|n’t+because"),
    Kind("depends", "claim", "here", "the value of the subject named first depends {v} the others", "depend function_of", formula=True),
    Kind("slope", "claim", "here", "the derivative of the function {s} is at most {v}", "derivative slope"),
    Kind("not-needed", "claim", "here", "{s} need not be computed",
         "compute computing evaluat calculat store need", formula=True),
    Kind("shared", "claim", "onward", "the parameters {s} (or, without a subject, all weights) are the same at every step",
         "shared+step reused+step same+step tied+step"),
    Kind("parameters", "claim", "here", "a network, or a part of it, has {v} parameters",
         "parameter|weight+number|amount|has|have|hav|contain|hold|use|need|require|compris|learn|with|there|total|give", ),
    Kind("parameter-growth", "claim", "here", "the number of parameters {v} with the number of steps",
         "parameter|weight+number|amount+step|length|sequence|\x02"),
    Kind("parameter-ratio", "claim", "here", "the network has {v} times the parameters of a plain one", "parameter|weight+as_many"),
    Kind("delay", "claim", "here", "the output is {v} steps late", "delay late+step lag+step shifted+step behind+step"),
    Kind("sources", "claim", "here", "the gradient of {s} (the subject named first) comes from the others",
         "source contribution gradient term influence affect contribute enter", formula=True),
    Kind("vanishes", "claim", "here", "{s} is zero at the {v}", "last final first initial", formula=True),
    Kind("unit", "claim", "here", "the logarithms are those of {v}", "bits nats"),
    Kind("arrangement", "claim", "here", "the network is {v}", "to-many to_many to-one to_one"),
    Kind("map", "claim", "here", "the function {s} maps as {v} says",
         "map send take goes function activation layer nonlinearity", formula=True),
    Kind("term", "claim", "before", "{s} is the {v} term of the display before", "term", formula=True),
    Kind("codes", "claim", "here", "what is to be predicted has the codes {v}",
         "target label true desired expected correct", formula=True),
    Kind("vocabulary", "condition", "onward", "the symbols that are coded are those of {v}, in this order",
         "vocabulary alphabet"),
    Kind("word", "condition", "onward", "the example is the sequence of the letters of {v}", "example"),
    Kind("entry", "claim", "here", "an entry of a vector that a listing prints, with its number counted from one: {v}",
         "unit+( entry+( component+( neuron+("),
    Kind("cell", "claim", "here", "how the gates of {v} work, told in words", "gate+lstm|gru|long"),
    Kind("not-mathematical", "note", "here", "nothing that a formula could decide: {v}",
         "turing better+work|perform|do state+art plausible effectiveness"),
)})
"""Every kind of sentence."""

_IS = "(?:is|are|be|denotes?|equals|was|were)"
_INIT = "initiali[sz]ed"
_SIZE = "(?:size|shape|dimension(?:s|ality)?|length|order)"
_STEP = r"(?:time[- ]?)?steps?"
_EVERY = "(?:all|every|each|the)"
_DROP = "(?:drop|omit|neglect|ignore|leave out|suppress|skip|discard)"
_DROPPED = "(?:dropped|omitted|neglected|ignored|left out|suppressed|skipped|discarded|absent)"
_PARTS = "(?:components?|entr(?:y|ies)|elements?|coordinates?)"
_SQUASH = "(?:squash|squeeze|compress|confine|restrict|limit|clip|map)(?:e?s|ed|ing)?"
_VALUES = f"(?:numbers?|values?|outputs?|results?|activations?|{_PARTS})"
_NO = "(?:can ?not|can[’']t|must not|may not|should not|shouldn[’']t)"
_PLACE = "(?:hidden|state|layer|model|embedding|input|output)"
_WEIGHTS = ("(?:(?:trainable|learnable|free|model|network|adjustable|scalar|real|total|LSTM|GRU|RNN|cell) )*(?:parameters|weights)")
_FIXED = (r"(?:(?:does not|doesn[’']t|do not|need not|never) (?:depend|vary|change|grow|increase|scale)|"
          r"(?:is|remains|stays|are) (?:independent|constant|fixed|unchanged|unaffected|the same))")
_GROWS = "(?:grows?|increases?|depends?|scales?|rises?|is proportional|grow(?:s|ing) linearly)"
_SEQUENCE = (rf"(?:lengths? of (?:(?:the|a|each|an) )?(?:input )?sequences?|sequence lengths?|(?:sequence|input)['’]s length|{_STEP}|"
             rf"number of {_STEP})")
_PLAIN_ONE = (r"(?:an? |the )?(?:(?:simple|plain|vanilla|basic|standard|ordinary|Elman|single|one)[- ])*"
              r"(?:RNN|recurrent (?:network|layer|cell)|gate)")
_WRONG = "(?:wrong|incorrect|false|invalid|not (?:true|correct|valid|allowed|right))"

COUNTED: Mapping[str, str] = MappingProxyType({
    "steps": rf"{_STEP}|steps in time|(?:elements|tokens|words|characters|symbols|items) (?:in|of) (?:the|a|each|our) (?:\w+ )?sequence",
    "units": r"(?:hidden |recurrent |output |perceptron )*(?:units?|neurons?|perceptrons?|cells|nodes)",
    "classes": r"(?:(?:output|possible) )*(?:class(?:es)?|categor(?:y|ies)|labels|outcomes)|"
               r"(?:(?:different|distinct|unique) )?(?:words|symbols|characters|letters) in (?:the|our) (?:vocabulary|alphabet)",
    "inputs": r"(?:input )?(?:features|inputs)|input (?:dimensions|units)",
    "outputs": "outputs|output dimensions",
    "samples": r"(?:training )?(?:examples|samples)|sequences (?:in|of) (?:the|a|each) (?:mini-?)?batch",
    "layers": r"(?:hidden |stacked |recurrent )*layers",
    "parameters": r"(?:\w+ )?(?:parameters|weights)",
})
"""What is counted, in words."""

_LOSS = "(?:(?:total|overall|whole|full) )?(?:loss|error|cost|objective)(?: function)?"
_GRADIENT = "(?:(?:total|full|loss) )?(?:gradients?|derivatives?)"
_BY = r"(?:with respect to|w\.?r\.?t\.?|by|at|in)"
_MEANT = r"(?:(?:is|are|as|always|treated|taken|represented|written|considered|defined|regarded|understood|to|be) )+"

ROWS: tuple[Row, ...] = (
    # -- conventions
    Row("abbreviation", r"(?:write|writing|use|set) <s:symbol> (?:for|instead of|to denote|in place of) (?:the \w+ )?<v:item>"),
    Row("abbreviation", r"<s:symbol> (?:denotes?|stands? for|abbreviates?|is short(?:hand)? for|represents?|denote) "
                        r"(?:the (?:\w+ ){1,3})?<v:item>"),
    Row("abbreviation", r"(?:denote|denoting|abbreviate|write|writing) (?:the (?:\w+ ){1,3})?<v:item> (?:by|as|with) <s:symbol>"),
    Row("abbreviation", r"denote by <s:symbol> (?:the (?:\w+ ){1,3})?<v:item>"),
    Row("loss-gradient", rf"<s:symbol>,? (?:is|be|denotes?|denote|stands? for|for|represents?) (?:the )?{_GRADIENT} of (?:the )?{_LOSS}"
                         rf"(?: <w:symbol>)? {_BY} <v:symbol>"),
    Row("layout", r"numerator[- ]layout", value="numerator"),
    Row("layout", r"denominator[- ]layout", value="denominator"),
    Row("layout", rf"(?:gradients?|derivatives?)(?: of (?:an? |the )?(?:scalars?(?:[- ]valued)?|loss|scalar functions?)(?: functions?)?)?"
                  rf"(?: {_BY} (?:an? |the )?(?:column )?vectors?)? {_MEANT}(?:an? )?rows?(?: vectors?|(?=[.,;:)]))", value="rows"),
    # -- sizes
    Row("size", rf"the {_SIZE} of (?:the )?(?:\w+ ){{0,3}}<s:symbols> {_IS} <v:dims>"),
    Row("size", rf"<s:symbols>,? (?:{_IS} |a |an |the |as )~(?:vectors?|arrays?|matri(?:x|ces)|tensors?|bias(?:es)?|weights?|states?),? "
               rf"(?:of|with) {_SIZE} <v:dims>"),
    Row("size", rf"<s:symbols> (?:has|have|{_IS} of|with|of) (?:the )?{_SIZE} <v:dims>"),
    Row("size", rf"<s:symbols> {_IS} (?:(?:an?|the) )?<v:dims>(?:-| )(?:\w+ ){{0,2}}matri(?:x|ces)"),
    Row("size", rf"<s:symbols> {_IS} <v:pair>"),
    Row("size", r"<v:dims>(?:-| )(?:\w+ ){0,2}matri(?:x|ces) <s:symbols>"),
    Row("size", rf"(?:matri(?:x|ces)|vectors?) <s:symbols>,? (?:of|with|has|have) (?:\w+ )?{_SIZE} <v:dims>"),
    Row("size", rf"<s:symbols> {_IS} (?:an? |the )?(?:\w+ ){{0,2}}<v:size>-dimensional(?: \w+){{0,2}} vectors?"),
    Row("size", r"<v:size>-dimensional(?: \w+){0,2}(?: vectors?)? <s:symbols>"),
    Row("size", rf"vectors? <s:symbols> (?:of|with) <v:size> (?:real )?(?:numbers|{_PARTS})"),
    Row("size", rf"<s:symbols> (?:has|have|with) <v:size> (?:real )?{_PARTS}"),
    Row("size", r"<s:symbols> (?:has|have|with) <v:size> rows and <w:size> columns"),
    Row("rank", rf"<s:symbols> {_IS} (?:an? )?(?:\w+ )?(?:<v:digit>|<v:ordinal>)[- ]?(?:d|dimensional) (?:array|tensor)"),
    Row("rank", rf"<s:symbols> {_IS} (?:an? )?(?:array|tensor) (?:of|with) (?:<v:digit>|<v:ordinal>) (?:axes|dimensions|indices)"),
    # -- what a letter counts
    *(Row("count", rf"<s:symbol> (?:{_IS} |, |\()(?:the )?(?:total )?number of (?:the )?(?:{words})", value=what)
      for what, words in COUNTED.items()),
    *(Row("count", rf"number of (?:{words}) (?:{_IS} |by )?<s:symbol>", value=what) for what, words in COUNTED.items()),
    Row("count", rf"<s:symbol> (?:{_IS} |, |\()(?:the |our )?length of (?:\w+ ){{0,3}}sequences?", value="steps"),
    Row("count", rf"<s:symbol> (?:{_IS} |, |\()(?:the |our )?(?:\w+ )?sequence length", value="steps"),
    Row("count", r"(?:sequences?|inputs?) of length <s:symbol>", value="steps"),
    Row("count", r"(?:sequence|mini-?batch|vocabulary) length <s:symbol>", value="steps"),
    *(Row("count", rf"(?:with|over|for|after|has|have|into|among|are|of|us(?:es?|ing)) <s:symbol> (?:{words})", value=what)
      for what, words in COUNTED.items()),
    Row("count", rf"{_PLACE} (?:size|dimension|width) (?:is |of |equals )?<s:symbol>", value="units"),
    Row("count", rf"<s:symbol> {_IS} (?:the )?(?:\w+ )?{_PLACE} (?:size|dimension|width)", value="units"),
    Row("count", rf"<s:symbol> {_IS} (?:the )?(?:mini-?)?batch size", value="samples"),
    Row("count", rf"<s:symbol> {_IS} (?:the )?(?:size of (?:the|our) vocabulary|vocabulary size)", value="classes"),
    # -- ranges of functions and components
    Row("range", rf"{_SQUASH} ~(?:to|into|onto|in|within|between)(?: be)?(?: (?:within|in|between))?"
                 r"(?: (?:the|an?) (?:\w+ )?(?:range|interval))?(?: of| from)? <v:range>", "function"),
    Row("range", rf"(?:outputs?|gives?|returns?|produces?|yields?|takes?) (?:an? |only )?(?:real )?{_VALUES} (?:that (?:is|are|lie) )?"
                 r"(?:in |within |from )?(?:the )?(?:range |interval )?(?:of )?<v:range>", "function"),
    Row("range", rf"(?:range|image|values) of <s:function>(?: function)? (?:{_IS}|lies? in|lie in)(?: in)?(?: the interval)? <v:range>"),
    Row("range", r"<s:function>(?: function)?,? (?:whose|with) (?:range|values?|outputs?) (?:(?:is|are|lies?) )?(?:in )?<v:range>"),
    Row("range", r"<s:function>(?: function)? (?:always )?(?:lies|takes values|has values|has (?:the )?range) (?:strictly )?(?:in )?"
                 r"(?:the (?:range|interval) )?<v:range>"),
    Row("range", rf"(?:(?:all|each|every|the) (?:of (?:the )?)?(?:{_PARTS}|values) of )?<s:symbols> (?:(?:always|all|therefore|thus) )?"
                 r"(?:lies?|stays?|remains?|is|are|takes? (?:only )?values|has (?:entries|components|values)|is bounded)"
                 r"(?: (?:always|strictly|bounded|confined|all|entrywise|elementwise))*(?: (?:in|within|inside))?(?: the)?"
                 r"(?: (?:open|closed|half-open|unit))?(?: (?:range|interval))?(?: of)? <v:range>"),
    Row("component-range", rf"(?:each|every|all|any)(?: of the| its)? {_PARTS} ~(?:in|within|to|between) ?(?:the )?(?:\w+ )?"
                           r"(?:range |interval )?<v:range>", "function"),
    Row("component-range", rf"(?:all|each|every) (?:of (?:the )?)?{_PARTS} of <s:symbol> ~"
                           r"(?:in|within|to) ?(?:the )?(?:range |interval )?<v:range>"),
    Row("component-range", rf"(?:{_VALUES}) in the (?:range|interval) <v:range>", "function"),
    Row("component-range", rf"{_PARTS} (?:of <s:symbol> )?(?:all )?(?:lie|are|fall) (?:strictly )?"
                           r"(?:in |within )?(?:the (?:range|interval) )?<v:range>", "function"),
    Row("map", r"(?:maps?|sends?|takes?|goes) (?:from )?<v:map>", "function"),
    Row("map", r"(?:function|map|mapping|activation|layer|nonlinearity),? <v:map>", "function"),
    Row("slope", r"(?:derivative|slope) of (?:the )?<s:function>(?: function)? (?:is (?:always )?)?"
                 r"(?:at most|bounded(?: above)? by|never (?:larger|greater|more|bigger) than|never exceeds|no (?:larger|greater) than|"
                 r"(?:has|reaches|takes) (?:a |its )?(?:maximum|largest value)(?: value)?(?: of)?) <v:bound>"),
    # -- constant and identity functions
    Row("constant", rf"<s:symbol> {_IS} (?:an? |the )?const[a-z]*(?: function)?[,:;(]*(?: (?:i\. ?e\.|ie|that is|namely|so|with|viz\.),?)? "
                    r"<v:equation>"),
    Row("constant", rf"<s:symbol> {_IS} (?:identically|constantly|always)(?: equal to)? <v:number>"),
    Row("constant", rf"<s:symbol> {_IS} (?:the |an? )?constant(?: function)? (?:with value |of value |equal to )?<v:number>"),
    Row("constant", r"constant function <v:equation>"),
    Row("identity", rf"<s:symbol> {_IS} (?:just |simply |often |usually |taken to be )*(?:the )?identity"),
    Row("identity", r"identity (?:function |map )?(?:for|as) <s:symbol>"),
    Row("identity", r"(?:choose|take|let|set) <s:symbol>,? (?:to be |as |be )(?:the )?identity"),
    # -- points, conditions and cases
    Row("at", rf"at (?:the )?(?:time |{_STEP} |point |moment )?(?:where |when )?<v:equation>", "symbol"),
    Row("at", r"evaluated (?:at|for|in) <v:equation>", "symbol"),
    Row("case", r"(?:when|if|for|whenever|suppose|assume|assuming|in case|case|in the case)(?: that| of| where)? <v:condition>\W{0,3}"
                r"(?:(?:then|this|it|we|the|one|gives?|gets?|have|has|obtain|finds?|follows|that|derivative|is|reads|becomes|by|and) ?)"
                r"{0,6}\W{0,3}<d:display>"),
    Row("bound", r"(?:where|with|for|provided|assuming|if|given|and|when)(?: that| all| any| every| some)? <v:comparison>", "spans"),
    # -- displays that define
    Row("defining", r"(?:consider|recall|introduce|start(?:ing)? (?:with|from)|begin(?:ning)? (?:with|from)) ~\W{0,3}<d:display>"),
    Row("defining", rf"{_IS} (?:\w+ ){{0,2}}(?:defined|given|computed|updated|governed|described) (?:as|by|through|via|with)"
                    r"(?: \w+){0,4}\W{0,3}<d:display>"),
    # -- beginnings and simplifications
    Row("initial-zero", rf"<s:name>,? ~{_INIT} (?:with|to|as|by|at) (?:be )?(?:an? |the |all )*(?:zeros?|<z:zero>)"),
    Row("initial-zero", rf"{_INIT[:-1]} <s:zeros>"),
    Row("initial-zero", rf"{_INIT[:-1]} <s:symbol> (?:with|to|as|by|at) (?:an? |the |all )*(?:zeros?|<z:zero>)"),
    Row("initial-zero", r"(?:start|begin)(?:s|ing)? ~(?:from|with|at) (?:the (?:\w+ )*)?<s:zeros>"),
    Row("initial-zero", r"(?:set|setting|take|taking|let|with) (?:the (?:\w+ )*)?<s:zeros>"),
    Row("initial-zero", r"initial (?:\w+ )?(?:state|value) <s:symbol>,? (?:\w+ ){0,4}(?:zeros?|<z:zero>)"),
    Row("dropped", rf"{_DROP}(?:s|ped|ing|ting|ping)? (?:the |all )?bias(?:es)?(?: terms?| vectors?)? <s:symbols>", value="bias"),
    Row("dropped", rf"bias(?:es)?(?: terms?| vectors?)? <s:symbols> (?:is|are|will be|has been|have been) {_DROPPED}", value="bias"),
    Row("dropped", rf"{_DROP}(?:s|ped|ing|ting|ping)? (?:the |all )?bias(?:es)?", value="bias"),
    Row("dropped", rf"bias(?:es)?(?: terms?| vectors?)? (?:is|are|will be|has been|have been) {_DROPPED}", value="bias"),
    Row("dropped", r"without (?:the |any |a )?bias(?:es)?(?: terms?)?", value="bias"),
    # -- one-hot vectors and distributions
    Row("total", rf"<s:symbol>,? (?:{_IS} |denotes |stands for )?(?:the )?(?:total loss,? )?(?:the )?sum of (?:all |the )?<v:symbol> "
        r"(?:over|of) (?:all |the )*(?:time )?(?:steps|time)"),
    Row("total", r"<s:symbol> (?:sums|adds(?: up)?) (?:all |the )?<v:symbol> over (?:all |the )*(?:time )?(?:steps|time)"),
    Row("others", r"all (?:of )?(?:the )?other(?:s| (?:vectors?|columns?|states?|sequences?|symbols?|quantities|variables?)) "
        r"(?:are |lie |live |being )?in <v:item>"),
    Row("one-hot", rf"<s:symbols> {_IS} (?:an? |the |all )?(?:\w+ )?one[- ]hot"),
    Row("one-hot", r"one[- ]hot(?:[- ]encoded)?(?: \w+){0,2} <s:symbols>"),
    Row("one-hot", r"<s:symbols> (?:has|have) (?:a )?(?:single )?(?:one|1|<z:one>) (?:in|at) ~and (?:zeros?|0s?|<z:zero>) "
                   r"(?:elsewhere|in all)"),
    Row("one-hot", r"(?P<role>inputs?|targets?|labels?) ~one[- ]hot"),
    Row("distribution", rf"<s:symbols> {_IS} (?:an? |the )?(?:\w+ ){{0,2}}distributions?"),
    Row("distribution", r"distributions? <s:symbols>"),
    Row("distribution", rf"(?:{_PARTS} of )?<s:symbols> (?:sums?|adds?(?: up)?) to (?:one|1|unity|<z:one>)"),
    Row("sums-to-one", r"(?<!not\x20)(?<!n't\x20)(?:sums?|adds?|adding|summing)(?: up)? to (?:one|1(?:\.0)?|unity|<z:one>)", "function"),
    # -- forms that are rejected
    Row("rejected", rf"{_NO} (?:simply |just |directly )?(?:have|write|use|apply|take|say|compute|conclude)(?: \w+){{0,4}}"
                    r"\W{0,3}<d:display>"),
    Row("rejected", rf"<d:display>\W{{0,2}}(?:this |it |which )?(?:is|would be) {_WRONG}"),
    Row("rejected", rf"<d:display>\W{{0,2}}(?:this |it |which )?(?:does not|doesn[’']t|{_NO}) (?:hold|be (?:used|applied|right|correct))"),
    Row("rejected", rf"(?:following|formula|form)(?: \w+)? (?:is|would be) {_WRONG}\W{{0,3}}<d:display>"),
    Row("rejected", r"(?:wrong|tempting|a mistake|incorrect) to (?:write|use|say|conclude)(?: \w+){0,3}\W{0,3}<d:display>"),
    Row("rejected", rf"{_NO} (?:simply |just |directly )?(?:use|apply|take|write|have) (?:it|this|that|the above|the last)\b"
                    "~because", "display"),
    # -- what the network does
    Row("not-needed", r"(?:do(?:es)? not|don[’']t|need not) (?:need to |have to )?(?:compute|evaluate|calculate|store) <s:items>"),
    Row("not-needed", rf"<s:items> (?:need not|do not need to|does not need to|{_IS} not) (?:be )?"
                      r"(?:computed|evaluated|calculated|needed|stored)"),
    Row("not-needed", r"(?:no need to|without) (?:compute|computing|evaluate|evaluating) <s:items>"),
    Row("shared", rf"<s:symbols> {_IS} (?:all )?(?:shared|reused|the same|tied) (?:across|over|between|at|for|in) {_EVERY} {_STEP}"),
    Row("shared", r"(?:weights?|parameters?|matrices)~ (?:are|is) (?:all )?(?:shared|reused|the same|tied) "
                  rf"(?:across|over|between|at|for|in) {_EVERY} {_STEP}"),
    Row("shared", rf"same (?:weights?|parameters?|matrices)(?: <s:symbols>)? ~(?:at|in|for|across) {_EVERY} {_STEP}"),
    # -- how many parameters
    Row("parameters", rf"(?:number|amount) of {_WEIGHTS}~ (?:is|are|equals|comes to|amounts to|becomes)"
                      r"(?: (?:given by|exactly|thus|then|therefore|hence|just|simply))* (?:<v:item>|<v:count>)"),
    Row("parameters", r"(?:has|have|having|contains?|holds?|uses?|needs?|requires?|comprises?|learns?|with|there are|total of|gives?)"
                      r"(?: (?:a total of|exactly|in total|together|altogether|thus|then|therefore|hence|just))* (?:<v:item>|<v:count>)"
                      rf" {_WEIGHTS}"),
    Row("parameter-growth", rf"(?:number|amount) of {_WEIGHTS}~ {_FIXED}~ {_SEQUENCE}", value="stays"),
    Row("parameter-growth", rf"(?:number|amount) of {_WEIGHTS}~ {_FIXED} (?:on|of|with|in) (?:the )?<s:symbol>",
        value="stays"),
    Row("parameter-growth", rf"(?:number|amount) of {_WEIGHTS} {_GROWS}(?: \w+)? (?:with|on|to|in)~ {_SEQUENCE}",
        value="grows"),
    Row("parameter-growth", rf"(?:number|amount) of {_WEIGHTS} {_GROWS}(?: \w+)? (?:with|on|to|in) <s:symbol>",
        value="grows"),
    Row("parameter-ratio", rf"(?P<v>two|three|four|five|six|eight|\d)(?: times|-fold|×) as many(?: (?:\w+ )?{_WEIGHTS})? as {_PLAIN_ONE}"),
    Row("parameter-ratio", rf"(?P<v>twice) as many(?: (?:\w+ )?{_WEIGHTS})? as {_PLAIN_ONE}"),
    Row("delay", rf"(?:delayed|late|lags?|shifted|delay of) (?:by )?<v:size> {_STEP}"),
    Row("delay", rf"<v:size> {_STEP} (?:late|delayed|behind|of delay)"),
    Row("delay", rf"delay (?:is|of|equals) <v:size>(?: {_STEP})?"),
    Row("depends", r"<s:symbol> (?:(?:also|directly|in turn|therefore|clearly|itself) )*depends (?:(?:also|directly|both) )*on"
                   r"(?: (?:both|the|all of))? <s2:symbols>", value="on"),
    Row("depends", r"<s:symbol> is (?:itself )?a function of(?: (?:both|the))? <s2:symbols>", value="on"),
    Row("depends", r"<s:symbol> (?:does not|doesn[’']t) depend (?:directly )?on <s2:symbols>", value="not on"),
    Row("sources", r"<s:item> (?:has|have|receives?|gets?) (?:a )?"
                   r"(?:sources?|contributions?|gradients?|terms?)(?: \w+)? from "
                   r"(?:both )?<s2:symbol> and (?:from )?<s3:symbol>"),
    Row("sources", r"<s:item> ~influences? on (?:both )?<s2:symbol> and (?:on )?<s3:symbol>"),
    Row("sources", r"<s:item> (?:influences|affects|contributes to|enters) (?:both )?<s2:symbol> and <s3:symbol>"),
    Row("vanishes", rf"<s:item> (?:is|vanishes|becomes|equals) (?:zero )?(?:at|for|in) (?:the )?(?:last|final) {_STEP}", value="last step"),
    Row("vanishes", r"<s:item> (?:is|becomes|equals) zero (?:at|in|for) (?:the )?first (?:iteration|step)~(?:back|reverse)",
        value="last step"),
    Row("vanishes", rf"<s:item> (?:is|vanishes|becomes|equals) (?:zero )?(?:at|for|in) (?:the )?(?:first|initial) {_STEP}\b(?! ~?back)",
        value="first step"),
    Row("term", r"(?P<v>1st|2nd|3rd|first|second|third|last) term,? <s:item>"),
    # -- examples with letters
    Row("codes", r"(?:targets?|labels?|(?:true|desired|expected|correct) ~(?:outputs?|distributions?))~(?:<s:item>)?~(?:are|is)"
                 r"\W{0,3}<v:columns>"),
    Row("vocabulary", r"(?:vocabulary|alphabet) (?:of|is|with) (?:\w+ ){0,4}[“‘\"'`]+(?P<v>\w{2,40})[”’\"'`]"),
    Row("word", r"[“‘\"'`](?P<v>\w{2,40})[”’\"'`] example"),
    Row("word", r"example (?:of |is )?(?:the |a )?(?:word |string |sequence )?[“‘\"'`](?P<v>\w{2,40})[”’\"'`]"),
    Row("entry", r"(?P<v>[-−–]?\d+\.\d+) \((?:unit|entry|component|neuron) (?P<w>\d+)\)"),
    # -- names, gates in words, and what no formula decides
    *(Row("cell", rf"{name}\b~(?:has|have|uses?|consists? of|contains?|adds?|introduces?|employs?)\b~gates?", value=value)
      for name, value in (("LSTMs?", "LSTM"), ("GRUs?", "GRU"), ("long short[- ]term memory", "LSTM"))),
    *(Row("unit", pattern.replace("UNIT", unit), value=unit) for unit in ("bits", "nats") for pattern in (
        "number of UNIT", "measured in UNIT", "in units of UNIT", "expressed in UNIT")),
    *(Row("arrangement", rf"{name.replace('-', '[- ]')}\b", value=name)
      for name in ("many-to-many", "many-to-one", "one-to-many", "one-to-one")),
    Row("not-mathematical", r"Turing[- ]complete", value="Turing-complete"),
    Row("not-mathematical", r"(?:works?|performs?|does) ~better(?: ~in practice)?", value="works better"),
    Row("not-mathematical", r"(?:state of the art|biologically plausible|unreasonable effectiveness)", value="praise"),
)
"""The patterns; within a kind, an earlier row wins where two would take the same words."""
