"""Instruments by name. A new one is a file in this folder and a line here."""

from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.bathroom_scale import BathroomScale
from gnomon.generators.instruments.compass import Compass
from gnomon.generators.instruments.dial import RotaryDial
from gnomon.generators.instruments.kitchen_scale import KitchenScale
from gnomon.generators.instruments.needles import PanelMeter, RoundGauge, Speedometer, WeighingScale
from gnomon.generators.instruments.straight import MeasuringCylinder, Ruler, Thermometer

INSTRUMENTS: dict[str, Instrument] = {
    instrument.name: instrument
    for instrument in (
        RoundGauge(),
        PanelMeter(),
        Thermometer(),
        Ruler(),
        WeighingScale(),
        MeasuringCylinder(),
        RotaryDial(),
        Speedometer(),
        Compass(),
        KitchenScale(),
        BathroomScale(),
    )
}
# Drawn unless the user names others. Later instruments would change the samples of these.
DEFAULT_INSTRUMENTS = ("gauge", "meter", "thermometer", "ruler", "scale", "cylinder")
