//! ONNX models that parse, and models that do not.

use std::fs;

use acta_ffi::{Builder, DataType, Network, NetworkFlags, ParseError, ParserError};
use acta_tests::onnx;

use crate::support::{Bench, library};

fn parse(model: &[u8]) -> (Builder, Network, Result<(), ParseError>) {
    let builder = Builder::new(library(), std::sync::Arc::new(())).unwrap();
    let mut network = builder.create_network(NetworkFlags::default()).unwrap();
    let answer = network.parse_onnx(model, None);
    (builder, network, answer)
}

fn errors(model: &[u8]) -> Vec<ParserError> {
    let (_builder, _network, answer) = parse(model);
    let error = answer.unwrap_err();
    println!("{error}");
    assert!(!error.errors().is_empty());
    error.errors().to_vec()
}

#[test]
fn a_network_tells_its_layers_inputs_and_outputs() {
    let (_builder, network, answer) = parse(&onnx::dynamic());
    answer.unwrap();
    assert!(network.layer_count().unwrap() > 0);
    let [input] = &network.inputs().unwrap()[..] else { panic!("one input") };
    assert_eq!(input.name_lossy(), "x");
    assert_eq!(input.data_type, DataType::Float32);
    assert_eq!(input.dims.as_deref(), Some(&[-1, -1, 16][..]));
    assert!(input.is_dynamic());
    assert!(!input.is_shape_tensor);
    let [output] = &network.outputs().unwrap()[..] else { panic!("one output") };
    assert_eq!(output.name_lossy(), "y");

    let (_builder, network, answer) = parse(&onnx::residual(1, 8));
    answer.unwrap();
    assert_eq!(network.inputs().unwrap()[0].dims.as_deref(), Some(&[1, 8, 28, 28][..]));
    assert!(!network.inputs().unwrap()[0].is_dynamic());
}

#[test]
fn strong_typing_is_read_back() {
    let builder = Builder::new(library(), std::sync::Arc::new(())).unwrap();
    for flags in [NetworkFlags::default(), NetworkFlags::STRONGLY_TYPED] {
        let network = builder.create_network(flags).unwrap();
        println!("asked {flags:?}, got {:?}", network.flags().unwrap());
        assert!(network.is_strongly_typed().unwrap());
    }
}

#[test]
fn an_unknown_operator_names_its_node() {
    let errors = errors(&onnx::unknown_operator());
    let error = &errors[0];
    println!("{errors:#?}");
    assert_eq!((error.node, error.node_name.as_str()), (0, "strange node"));
    assert_eq!(error.node_operator, "NoSuchOperator");
    assert_eq!(error.code_name(), "kINVALID_NODE");
    assert!(error.message.contains("Plugin not found"), "{error:?}");
    assert!(!error.file.is_empty() && error.line > 0 && !error.function.is_empty(), "{error:?}");
}

#[test]
fn a_shape_mismatch_names_its_node() {
    let errors = errors(&onnx::shape_mismatch());
    assert_eq!(errors[0].node_name, "product");
    assert_eq!(errors[0].node_operator, "MatMul");
}

#[test]
fn a_truncated_model_is_refused() {
    let model = onnx::chain(4, 16);
    let errors = errors(&model[..model.len() / 2]);
    assert_eq!(errors[0].code_name(), "kMODEL_DESERIALIZE_FAILED");
}

#[test]
fn every_error_is_told() {
    use acta_tests::onnx::{Dim, Element, Model};
    let mut model = Model::new();
    model.input("x", Element::Float, &[Dim::Fixed(8)]);
    model.named_node("first", "NoSuchOperator", &["x"], "a", &[]);
    model.named_node("second", "NorThisOne", &["x"], "b", &[]);
    model.output("a", Element::Float, &[Dim::Fixed(8)]);
    model.output("b", Element::Float, &[Dim::Fixed(8)]);
    let errors = errors(&model.encode());
    println!("{errors:#?}");
    assert!(errors.iter().any(|error| error.node_name == "first"));
}

#[test]
fn a_parser_that_says_yes_may_have_seen_no_layer() {
    let (builder, network, answer) = parse(b"");
    println!("empty: {answer:?}, {:?} layers", network.layer_count());
    if answer.is_ok() {
        assert_eq!(network.layer_count().unwrap(), 0);
        let config = builder.create_config().unwrap();
        let error = builder.build_serialized(&network, &config).unwrap_err();
        assert!(error.to_string().contains("at least one output"), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_parser_error() {
    let builder = Builder::new(library(), std::sync::Arc::new(())).unwrap();
    let mut network = builder.create_network(NetworkFlags::default()).unwrap();
    let error = network.parse_onnx_file("no/such.onnx".as_ref()).unwrap_err();
    assert!(matches!(error, ParseError::Read { .. }));
    assert!(error.errors().is_empty());

    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("chain.onnx");
    fs::write(&path, onnx::chain(2, 16)).unwrap();
    network.parse_onnx_file(&path).unwrap();
}

#[test]
fn strange_node_names_build() {
    let long = "n".repeat(4000);
    for name in ["узел 节点 \"\\\n", long.as_str()] {
        let output = Bench::new(&onnx::with_node_name(name.as_bytes())).build().unwrap();
        assert!(!output.plan.as_bytes().is_empty());
    }
}

#[test]
fn a_node_name_that_is_no_utf8_is_survived() {
    let (builder, network, answer) = parse(&onnx::with_node_name(b"bad \xff\xfe name"));
    println!("a name that is no UTF-8: {answer:?}");
    if answer.is_ok() {
        let config = builder.create_config().unwrap();
        let built = builder.build_serialized(&network, &config);
        println!("a name that is no UTF-8: {built:?}");
    }
}
