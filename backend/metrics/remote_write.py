"""Prometheus remote write v1, by hand: the protobuf of a WriteRequest and its snappy block. Pure.

Three nested messages do not earn a dependency on the protobuf compiler. Field numbers are those of
Prometheus' prompb/remote.proto and prompb/types.proto.
"""

import dataclasses
import struct
from collections.abc import Iterable, Mapping

import cramjam

CONTENT_TYPE = "application/x-protobuf"
ENCODING = "snappy"

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_SEVEN_BITS = 0x7F
_MORE = 0x80


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sample:
    """One number of one series; the stamp is in Unix milliseconds, empty labels are left out."""

    name: str
    value: float
    stamp_ms: int
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)


def encode(samples: Iterable[Sample]) -> bytes:
    """Return the body of a remote write request, one series a sample, as a snappy block."""
    message = b"".join(_field(1, _series(sample)) for sample in samples)
    return bytes(cramjam.snappy.compress_raw(message))


def _series(sample: Sample) -> bytes:
    labels = {"__name__": sample.name} | {
        name: value for name, value in sample.labels.items() if value
    }
    pairs = b"".join(_field(1, _label(name, value)) for name, value in sorted(labels.items()))
    return pairs + _field(2, _point(sample))


def _label(name: str, value: str) -> bytes:
    return _field(1, name.encode()) + _field(2, value.encode())


def _point(sample: Sample) -> bytes:
    value = bytes([1 << 3 | _FIXED64]) + struct.pack("<d", sample.value)
    return value + bytes([2 << 3 | _VARINT]) + _varint(sample.stamp_ms)


def _field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | _BYTES]) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    if number < 0:
        message = "A length or a stamp cannot be negative."
        raise ValueError(message)
    out = bytearray()
    while number > _SEVEN_BITS:
        out.append(number & _SEVEN_BITS | _MORE)
        number >>= 7
    out.append(number)
    return bytes(out)
