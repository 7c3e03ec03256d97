//! Writes small ONNX models by hand: the few protobuf messages of `onnx.proto3` that TensorRT needs, and the networks
//! that tests build.
//!
//! Weights are `ConstantOfShape` nodes of one value, different for every weight: files stay small, and TensorRT cannot
//! merge the layers.

/// ONNX element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Element {
    /// 32-bit floating point
    Float = 1,
    /// signed 64-bit integer
    Int64 = 7,
}

/// One dimension of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim<'a> {
    /// A number.
    Fixed(i64),
    /// A name: the dimension is dynamic.
    Named(&'a str),
}

/// One attribute of a node.
#[derive(Clone, Debug)]
pub enum Attribute<'a> {
    /// A list of integers.
    Ints(&'a [i64]),
    /// A tensor of one float.
    FloatTensor(f32),
}

/// A protobuf message that is being written.
#[derive(Clone, Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    fn tensor(element: Element, dims: &[i64], raw: &[u8]) -> Self {
        let tensor = dims.iter().fold(Self::default(), |tensor, dim| tensor.number(1, dim.cast_unsigned()));
        tensor.number(2, element as u64).bytes(9, raw)
    }

    fn attribute(name: &str, value: &Attribute<'_>) -> Self {
        let attribute = Self::default().bytes(1, name.as_bytes());
        match value {
            Attribute::Ints(numbers) => {
                let attribute = numbers
                    .iter()
                    .fold(attribute, |message, number| message.number(8, number.cast_unsigned()));
                attribute.number(20, 7)
            }
            Attribute::FloatTensor(value) => {
                attribute.message(5, &Self::tensor(Element::Float, &[1], &value.to_le_bytes())).number(20, 4)
            }
        }
    }
}

/// A model that is being written. Names are bytes: ONNX says UTF-8, and tests may say otherwise.
#[derive(Clone, Debug)]
pub struct Model {
    graph: Message,
    nodes: usize,
    weights: usize,
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self { graph: Message::default().bytes(2, b"graph"), nodes: 0, weights: 0 }
    }

    /// Declares an input.
    pub fn input(&mut self, name: impl AsRef<[u8]>, element: Element, dims: &[Dim<'_>]) {
        self.value(11, name.as_ref(), element, dims);
    }

    /// Declares an output.
    pub fn output(&mut self, name: impl AsRef<[u8]>, element: Element, dims: &[Dim<'_>]) {
        self.value(12, name.as_ref(), element, dims);
    }

    fn value(&mut self, field: u64, name: &[u8], element: Element, dims: &[Dim<'_>]) {
        let shape = dims.iter().fold(Message::default(), |shape, dim| {
            let dim = match dim {
                Dim::Fixed(number) => Message::default().number(1, number.cast_unsigned()),
                Dim::Named(name) => Message::default().bytes(2, name.as_bytes()),
            };
            shape.message(1, &dim)
        });
        let tensor = Message::default().number(1, element as u64).message(2, &shape);
        let value = Message::default().bytes(1, name).message(2, &Message::default().message(1, &tensor));
        self.graph = std::mem::take(&mut self.graph).message(field, &value);
    }

    /// Adds a node of this name.
    pub fn named_node(
        &mut self,
        name: impl AsRef<[u8]>,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, Attribute<'_>)],
    ) {
        let mut node = Message::default();
        for input in inputs {
            node = node.bytes(1, input.as_bytes());
        }
        node = node.bytes(2, output.as_bytes()).bytes(3, name.as_ref()).bytes(4, operator.as_bytes());
        for (name, value) in attributes {
            node = node.message(5, &Message::attribute(name, value));
        }
        self.graph = std::mem::take(&mut self.graph).message(1, &node);
        self.nodes += 1;
    }

    /// Adds a node, and returns the name of its output.
    pub fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, Attribute<'_>)]) -> String {
        let output = format!("t{}", self.nodes);
        self.named_node(format!("{operator}_{}", self.nodes), operator, inputs, &output, attributes);
        output
    }

    /// Adds a weight of this shape, filled with a value of its own, and returns its name.
    pub fn weight(&mut self, dims: &[i64]) -> String {
        let shape = format!("shape{}", self.weights);
        let raw: Vec<u8> = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let count = i64::try_from(dims.len()).unwrap_or(0);
        let tensor = Message::tensor(Element::Int64, &[count], &raw).bytes(8, shape.as_bytes());
        self.graph = std::mem::take(&mut self.graph).message(5, &tensor);
        let step = u8::try_from(self.weights % 97).unwrap_or(0);
        self.weights += 1;
        self.node(
            "ConstantOfShape",
            &[&shape],
            &[("value", Attribute::FloatTensor(0.001 * (1.0 + f32::from(step))))],
        )
    }

    /// The finished model: IR version 9, operator set 17.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let operators = Message::default().bytes(1, b"").number(2, 17);
        Message::default()
            .number(1, 9)
            .bytes(2, b"acta-tests")
            .message(7, &self.graph)
            .message(8, &operators)
            .0
    }
}

/// `depth` times `MatMul` and Tanh on `8 x width`: many layers, and a silent phase that grows with them.
#[must_use]
pub fn chain(depth: usize, width: i64) -> Vec<u8> {
    let dims = [Dim::Fixed(8), Dim::Fixed(width)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let mut last = "x".to_owned();
    for _ in 0..depth {
        let weight = model.weight(&[width, width]);
        let product = model.node("MatMul", &[&last, &weight], &[]);
        last = model.node("Tanh", &[&product], &[]);
    }
    model.named_node("end", "Identity", &[&last], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// `blocks` residual blocks of two 3x3 convolutions on `1 x channels x 28 x 28`.
#[must_use]
pub fn residual(blocks: usize, channels: i64) -> Vec<u8> {
    let dims = [Dim::Fixed(1), Dim::Fixed(channels), Dim::Fixed(28), Dim::Fixed(28)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let mut last = "x".to_owned();
    for _ in 0..blocks {
        let mut inner = last.clone();
        for half in 0..2 {
            let weight = model.weight(&[channels, channels, 3, 3]);
            let pads = ("pads", Attribute::Ints(&[1, 1, 1, 1]));
            inner = model.node("Conv", &[&inner, &weight], &[pads]);
            if half == 0 {
                inner = model.node("Relu", &[&inner], &[]);
            }
        }
        let sum = model.node("Add", &[&inner, &last], &[]);
        last = model.node("Relu", &[&sum], &[]);
    }
    model.named_node("end", "Identity", &[&last], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// A `MatMul` on `batch x length x 16`, the first two dimensions dynamic: it needs an optimization profile for `x`.
#[must_use]
pub fn dynamic() -> Vec<u8> {
    let dims = [Dim::Named("batch"), Dim::Named("length"), Dim::Fixed(16)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let weight = model.weight(&[16, 16]);
    let product = model.node("MatMul", &["x", &weight], &[]);
    model.named_node("end", "Relu", &[&product], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// One float `MatMul`: it builds by default, and not for SM 7.5 alone.
#[must_use]
pub fn gemm() -> Vec<u8> {
    let dims = [Dim::Fixed(8), Dim::Fixed(64)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let weight = model.weight(&[64, 64]);
    model.named_node("gemm", "MatMul", &["x", &weight], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// A node of an operator that nobody knows.
#[must_use]
pub fn unknown_operator() -> Vec<u8> {
    let dims = [Dim::Fixed(8), Dim::Fixed(16)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    model.named_node("strange node", "NoSuchOperator", &["x"], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// A `MatMul` of `8 x 16` by `15 x 16`.
#[must_use]
pub fn shape_mismatch() -> Vec<u8> {
    let dims = [Dim::Fixed(8), Dim::Fixed(16)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let weight = model.weight(&[15, 16]);
    model.named_node("product", "MatMul", &["x", &weight], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

/// A small chain whose node has this name.
#[must_use]
pub fn with_node_name(name: &[u8]) -> Vec<u8> {
    let dims = [Dim::Fixed(8), Dim::Fixed(16)];
    let mut model = Model::new();
    model.input("x", Element::Float, &dims);
    let weight = model.weight(&[16, 16]);
    model.named_node(name, "MatMul", &["x", &weight], "m", &[]);
    model.named_node("end", "Relu", &["m"], "y", &[]);
    model.output("y", Element::Float, &dims);
    model.encode()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_written_as_protobuf_wants_them() {
        let message = Message::default().number(1, 300).bytes(2, b"ab").number(3, u64::MAX);
        let mut expected = vec![0x08, 0xac, 0x02, 0x12, 0x02, b'a', b'b', 0x18];
        expected.extend([0xff; 9]);
        expected.push(0x01);
        assert_eq!(message.0, expected);
    }

    #[test]
    fn the_same_network_is_the_same_bytes() {
        assert_eq!(chain(3, 16), chain(3, 16));
        assert_ne!(chain(3, 16), chain(4, 16));
    }
}
