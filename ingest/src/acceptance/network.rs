//! The networks of the acceptance test, written by hand as ONNX: small files whose builds take a second or so.
//!
//! Of `onnx.proto3` only the few messages that these graphs need. Weights are `ConstantOfShape` nodes of one value,
//! another for every weight: the files stay small, and TensorRT cannot merge the layers.

/// The type of every element of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 32-bit floating point.
    Float,
    /// 16-bit floating point.
    Half,
}

impl Element {
    /// `TensorProto.DataType`.
    fn code(self) -> u64 {
        match self {
            Self::Float => 1,
            Self::Half => 10,
        }
    }

    /// `n` 1024ths as bytes: exact in both types for `n` from 1 to 2047.
    fn thousandths(self, n: u16) -> Vec<u8> {
        match self {
            Self::Float => (f32::from(n) / 1024.0).to_le_bytes().to_vec(),
            Self::Half => {
                // The leading one of `n` is implied; its place gives the exponent, of which the bias is 15.
                let place = 15 - n.max(1).leading_zeros() as u16;
                let fraction = (n << (10 - place)) & 0x3ff;
                ((place + 5) << 10 | fraction).to_le_bytes().to_vec()
            }
        }
    }
}

/// 64-bit integers: shapes.
const INT64: u64 = 7;

/// One network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// So many products with a tanh behind each, on 8 x 64: many small steps, then one long silent one.
    Chain(usize, Element),
    /// So many residual blocks of two convolutions on 1 x 32 x 28 x 28.
    Residual(usize),
    /// So many convolutions beside each other and their sum, on 1 x 32 x 28 x 28: much to choose from at once.
    Wide(usize),
}

impl Network {
    /// The model's bytes.
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Chain(depth, element) => chain(depth, element),
            Self::Residual(blocks) => residual(blocks),
            Self::Wide(branches) => wide(branches),
        }
    }
}

fn chain(depth: usize, element: Element) -> Vec<u8> {
    let mut graph = Graph::new(element);
    let mut last = "x".to_owned();
    for _ in 0..depth {
        let weight = graph.weight(&[64, 64]);
        let product = graph.node("MatMul", &[&last, &weight], &[]);
        last = graph.node("Tanh", &[&product], &[]);
    }
    graph.encode(&last, &[8, 64])
}

const CHANNELS: i64 = 32;
const IMAGE: [i64; 4] = [1, CHANNELS, 28, 28];

fn residual(blocks: usize) -> Vec<u8> {
    let mut graph = Graph::new(Element::Float);
    let mut last = "x".to_owned();
    for _ in 0..blocks {
        let inner = graph.convolution(&last);
        let inner = graph.node("Relu", &[&inner], &[]);
        let inner = graph.convolution(&inner);
        let sum = graph.node("Add", &[&inner, &last], &[]);
        last = graph.node("Relu", &[&sum], &[]);
    }
    graph.encode(&last, &IMAGE)
}

fn wide(branches: usize) -> Vec<u8> {
    let mut graph = Graph::new(Element::Float);
    let mut sum = "x".to_owned();
    for _ in 0..branches {
        let branch = graph.convolution("x");
        let branch = graph.node("Relu", &[&branch], &[]);
        sum = graph.node("Add", &[&sum, &branch], &[]);
    }
    graph.encode(&sum, &IMAGE)
}

/// A protobuf message that is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

    fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// `TensorProto`.
    fn tensor(code: u64, dims: &[i64], raw: &[u8]) -> Self {
        let dims = dims.iter().fold(Self::default(), |tensor, dim| tensor.number(1, dim.cast_unsigned()));
        dims.number(2, code).bytes(9, raw)
    }
}

/// A graph with one input `x` and one output `y` of the same shape.
struct Graph {
    message: Message,
    element: Element,
    nodes: usize,
    weights: u16,
}

impl Graph {
    fn new(element: Element) -> Self {
        Self { message: Message::default().text(2, "graph"), element, nodes: 0, weights: 0 }
    }

    fn add(&mut self, field: u64, value: &Message) {
        self.message = std::mem::take(&mut self.message).message(field, value);
    }

    /// Adds a node with attributes (`AttributeProto`), and returns its output's name.
    fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[Message]) -> String {
        let output = format!("t{}", self.nodes);
        self.node_to(operator, inputs, &output, attributes);
        output
    }

    fn node_to(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) {
        let inputs = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let node = inputs.text(2, output).text(3, &format!("{operator}_{}", self.nodes)).text(4, operator);
        let node = attributes.iter().fold(node, |node, attribute| node.message(5, attribute));
        self.add(1, &node);
        self.nodes += 1;
    }

    fn weight(&mut self, dims: &[i64]) -> String {
        let shape = format!("shape{}", self.weights);
        let raw: Vec<u8> = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let tensor = Message::tensor(INT64, &[dims.len() as i64], &raw).text(8, &shape);
        self.add(5, &tensor);
        let value = self.element.thousandths(1 + self.weights % 97);
        self.weights += 1;
        let tensor = Message::tensor(self.element.code(), &[1], &value);
        let value = Message::default().text(1, "value").message(5, &tensor).number(20, 4);
        self.node("ConstantOfShape", &[&shape], &[value])
    }

    fn convolution(&mut self, input: &str) -> String {
        let weight = self.weight(&[CHANNELS, CHANNELS, 3, 3]);
        let pads = [1; 4].iter().fold(Message::default().text(1, "pads"), |pads, &one| pads.number(8, one));
        self.node("Conv", &[input, &weight], &[pads.number(20, 7)])
    }

    /// `ModelProto`: IR version 9, operator set 17.
    fn encode(mut self, last: &str, dims: &[i64]) -> Vec<u8> {
        self.node_to("Identity", &[last], "y", &[]);
        for (field, name) in [(11, "x"), (12, "y")] {
            let shape = dims.iter().fold(Message::default(), |shape, dim| {
                shape.message(1, &Message::default().number(1, dim.cast_unsigned()))
            });
            let tensor = Message::default().number(1, self.element.code()).message(2, &shape);
            let kind = Message::default().message(1, &tensor);
            self.add(field, &Message::default().text(1, name).message(2, &kind));
        }
        let operators = Message::default().text(1, "").number(2, 17);
        let model = Message::default().number(1, 9).text(2, "acta-acceptance");
        model.message(7, &self.message).message(8, &operators).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_types_hold_the_same_numbers() {
        // 1/1024, 1.5/1024 x 2, 1, 1 + 1/1024 in IEEE 754 binary16.
        for (n, half) in [(1, 0x1400_u16), (3, 0x1a00), (1024, 0x3c00), (1025, 0x3c01), (97, 0x2e10)] {
            assert_eq!(Element::Half.thousandths(n), half.to_le_bytes(), "{n}");
            assert_eq!(Element::Float.thousandths(n), (f32::from(n) / 1024.0).to_le_bytes(), "{n}");
        }
    }

    #[test]
    fn a_network_is_always_the_same_bytes_and_another_one_others() {
        let all = [
            Network::Chain(3, Element::Float),
            Network::Chain(3, Element::Half),
            Network::Chain(4, Element::Float),
            Network::Residual(3),
            Network::Wide(3),
        ];
        for (index, network) in all.iter().enumerate() {
            assert_eq!(network.encode(), network.encode());
            assert!(all[..index].iter().all(|other| other.encode() != network.encode()), "{network:?}");
        }
    }
}
