"""Write the graph that computes the default embedding model with integer products.

    pip install onnx && python bench/training/minilm_graph.py

Reads the pinned model and writes ``hydra_kg/models/embedding/minilm_integers.onnx``, which has no weights of its own:
its matrices are places in the pinned file. An activation x of a token is written as m·(a + b/254)/127 with the largest
magnitude m of the token and bytes a and b, so that two integer products give what one product of floats gives, to about
four more digits than the weights have. Prints the checksum and the probe for ``integer_model.py``.
"""

from __future__ import annotations

import hashlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder, read_file, session_of
from hydra_kg.models.embedding.prepared_model import MODEL, locate

OUT = Path(__file__).resolve().parents[2] / "hydra_kg" / "models" / "embedding" / "minilm_integers.onnx"
LAYERS, HEADS, WIDTH, OF_HEAD = 6, 12, 384, 32
CONTRIB = "com.microsoft"
PROBE = "who directed the film inception, and where was the director born?"


class GraphBuilder:
    """Nodes and constants of the new graph, and the tensors of the pinned model."""

    def __init__(self, file: Path) -> None:
        self.data = file.read_bytes()
        self.model = onnx.load_from_string(self.data)
        self.given = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        """Add an operation. Return the name of its output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        """Add a constant. Return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def array(self, name: str) -> Any:
        """Return a tensor of the pinned model."""
        return numpy_helper.to_array(self.given[name])

    def matrix(self, name: str, new: str) -> str:
        """Add a matrix of bytes by its place in the pinned file. Return its name."""
        given, tensor = self.given[name], TensorProto()
        tensor.name, tensor.data_type, tensor.data_location = new, given.data_type, TensorProto.EXTERNAL
        tensor.dims.extend(given.dims)
        place = {"location": MODEL.path, "offset": self.data.index(given.raw_data), "length": len(given.raw_data)}
        for key, value in place.items():
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        self.constants.append(tensor)
        return new

    def rows(self, name: str, new: str, ids: str) -> str:
        """Add the lookup of ``ids`` in a table of bytes with a scale for each row."""
        table = self.matrix(f"{name}_q", f"{new}_q")
        scales = self.constant(f"{new}_s", self.array(f"{name}_scale").astype(np.float32))
        self.node("Gather", [table, ids], f"{new}_rows")
        self.node("Cast", [f"{new}_rows"], f"{new}_float", to=TensorProto.FLOAT)
        self.node("Gather", [scales, ids], f"{new}_scale")
        return self.node("Mul", [f"{new}_float", f"{new}_scale"], new)

    def normalised(self, x: str, name: str, out: str) -> str:
        """Add a layer's normalisation."""
        parts = [self.constant(f"{out}_{part}", self.array(f"{name}.{part}")) for part in ("weight", "bias")]
        return self.node("LayerNormalization", [x, *parts], out, axis=-1, epsilon=1e-12)

    def in_bytes(self, x: str) -> str:
        """Add the split of activations into two bytes and the largest magnitude. Return ``x``, their prefix."""
        self.node("Abs", [x], f"{x}_abs")
        self.node("ReduceMax", [f"{x}_abs"], f"{x}_largest", axes=[-1], keepdims=1)
        self.node("Max", [f"{x}_largest", "tiny"], f"{x}_max")
        self.node("Div", ["steps", f"{x}_max"], f"{x}_factor")
        self.node("Mul", [x, f"{x}_factor"], f"{x}_scaled")
        self.node("QuantizeLinear", [f"{x}_scaled", "one", "zero"], f"{x}_a")
        self.node("DequantizeLinear", [f"{x}_a", "one", "zero"], f"{x}_near")
        self.node("Sub", [f"{x}_scaled", f"{x}_near"], f"{x}_rest")
        self.node("QuantizeLinear", [f"{x}_rest", "rest_step", "zero"], f"{x}_b")
        return x

    def product(self, x: str, matrix: str, out: str, factor: float = 1.0) -> str:
        """Add the product of activations, already in bytes, and a matrix."""
        weights = self.matrix(f"{matrix}_q", f"{out}_q")
        scales = self.array(f"{matrix}_scale").reshape(-1).astype(np.float32) * np.float32(factor)
        self.constant(f"{out}_s", scales)
        for byte, scale in (("a", "a_scale"), ("b", "b_scale")):
            inputs = [f"{x}_{byte}", weights, scale, f"{out}_s", "zero"]
            self.node("MatMulIntegerToFloat", inputs, f"{out}_{byte}", CONTRIB)
        self.node("Add", [f"{out}_a", f"{out}_b"], f"{out}_sum")
        return self.node("Mul", [f"{out}_sum", f"{x}_max"], out)

    def plus(self, x: str, bias: str, out: str, factor: float = 1.0) -> str:
        """Add a bias."""
        return self.node("Add", [x, self.constant(f"{out}_bias", self.array(bias) * np.float32(factor))], out)


def layer(graph: GraphBuilder, x: str, number: int, matrices: list[str]) -> str:
    """Add one layer of the encoder. Return the name of its output."""
    name, given = f"inner.encoder.layer.{number}.", f"layer{number}"
    graph.in_bytes(x)
    parts = []
    for role, matrix, order in zip(
        ("query", "key", "value"), matrices, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=False
    ):
        factor = 1 / math.sqrt(OF_HEAD) if role == "query" else 1.0
        y = graph.product(x, matrix, f"{given}_{role}", factor)
        y = graph.plus(y, f"{name}attention.self.{role}.bias", f"{y}_biased", factor)
        y = graph.node("Reshape", [y, "heads"], f"{y}_heads")
        parts.append(graph.node("Transpose", [y], f"{y}_turned", perm=order))
    y = graph.node("MatMul", parts[:2], f"{given}_likeness")
    y = graph.node("Add", [y, "mask"], f"{given}_masked")
    y = graph.node("Softmax", [y], f"{given}_shares", axis=-1)
    y = graph.node("MatMul", [y, parts[2]], f"{given}_mixed")
    y = graph.node("Transpose", [y], f"{given}_mixed_turned", perm=[0, 2, 1, 3])
    y = graph.in_bytes(graph.node("Reshape", [y, "flat"], f"{given}_mixed_flat"))
    y = graph.product(y, matrices[3], f"{given}_attention")
    y = graph.plus(y, f"{name}attention.output.dense.bias", f"{given}_attention_biased")
    y = graph.node("Add", [y, x], f"{given}_attention_added")
    between = graph.normalised(y, f"{name}attention.output.LayerNorm", f"{given}_between")
    y = graph.product(graph.in_bytes(between), matrices[4], f"{given}_wide")
    bias = graph.constant(f"{given}_wide_bias", graph.array(f"{name}intermediate.dense.bias"))
    y = graph.in_bytes(graph.node("BiasGelu", [y, bias], f"{given}_gelu", CONTRIB))
    y = graph.product(y, matrices[5], f"{given}_narrow")
    y = graph.plus(y, f"{name}output.dense.bias", f"{given}_narrow_biased")
    y = graph.node("Add", [y, between], f"{given}_added")
    return graph.normalised(y, f"{name}output.LayerNorm", f"{given}_out")


def build(file: Path) -> bytes:
    """Return the graph for the pinned model."""
    graph = GraphBuilder(file)
    for name, value in {
        "zero": np.uint8(128),
        "one": np.float32(1),
        "steps": np.float32(127),
        "tiny": np.float32(1e-20),
        "a_scale": np.float32(1 / 127),
        "b_scale": np.float32(1 / (127 * 254)),
        "rest_step": np.float32(1 / 254),
        "first": np.int64(0),
        "second": np.int64(1),
        "far": np.float32(-1e9),
        "between": np.array([1, 2], np.int64),
        "heads": np.array([0, 0, HEADS, OF_HEAD], np.int64),
        "flat": np.array([0, 0, WIDTH], np.int64),
        "kind": graph.array("inner.embeddings.token_type_embeddings.weight")[0],
    }.items():
        graph.constant(name, value)
    words = graph.rows("inner.embeddings.word_embeddings.weight", "words", "input_ids")
    graph.node("Shape", ["input_ids"], "shape")
    graph.node("Gather", ["shape", "second"], "length")
    graph.node("Range", ["first", "length", "second"], "places")
    places = graph.rows("inner.embeddings.position_embeddings.weight", "positions", "places")
    graph.node("Add", [words, "kind"], "kinds")
    x = graph.normalised(graph.node("Add", ["kinds", places], "sum"), "inner.embeddings.LayerNorm", "embedded")
    graph.node("Cast", ["attention_mask"], "there", to=TensorProto.FLOAT)
    graph.node("Sub", ["one", "there"], "absent")
    graph.node("Mul", ["absent", "far"], "mask_row")
    graph.node("Unsqueeze", ["mask_row", "between"], "mask")
    used = [n.input[1] for n in graph.model.graph.node if n.op_type == "MatMul" and f"{n.input[1]}_q" in graph.given]
    each = len(used) // LAYERS  # query, key, value, the sum of the heads, and the two of the wide layer
    for number in range(LAYERS):
        x = layer(graph, x, number, used[each * number : each * (number + 1)])
    inputs = ("input_ids", "attention_mask")
    made = helper.make_graph(
        graph.nodes,
        "minilm",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["texts", "tokens", WIDTH])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    data: bytes = helper.make_model(made, opset_imports=opsets, ir_version=8).SerializeToString()
    return data


def main() -> None:
    """Write the graph; print what ``integer_model.py`` has to know of it."""
    data = build(locate(MODEL))
    OUT.write_bytes(data)
    floats = OnnxEmbedder()
    _, tokenizer = floats._load()
    floats._loaded = session_of(read_file(locate(MODEL))), tokenizer
    print(hashlib.sha256(data).hexdigest())
    print(tokenizer.encode(PROBE).ids)
    print([round(float(x), 6) for x in floats.embed([PROBE])[0][:12]])


if __name__ == "__main__":
    main()
