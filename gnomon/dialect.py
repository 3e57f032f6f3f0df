"""How a target is written for one model family, and read back: `gnomon.answers.dialect`."""

from gnomon.answers.dialect import DIALECTS as DIALECTS
from gnomon.answers.dialect import Dialect as Dialect
from gnomon.answers.dialect import Llava as Llava
from gnomon.answers.dialect import Qwen2VL as Qwen2VL
from gnomon.answers.dialect import Qwen3VL as Qwen3VL
from gnomon.answers.dialect import Qwen25VL as Qwen25VL
from gnomon.answers.dialect import create as create
from gnomon.answers.dialect import final as final
from gnomon.answers.dialect import worked as worked
