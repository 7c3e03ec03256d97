//! What the tests of this folder share.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use acta_ledger::{
    evidence::build::BuildSummary,
    log::{digest::Sha256Digest, dsse::Envelope, key::PublicKey, statement::Statement},
};
use acta_tests::{
    onnx,
    process::{Agent, Ended},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long a build of [`slow`] stays silent in one phase, at least, on a fast machine: long enough to cancel in.
pub fn slow() -> Vec<u8> {
    onnx::chain(600, 64)
}

/// A network whose plan is large, so that it takes long to serialize and to write: products with weights that nothing
/// can make smaller.
pub fn wide() -> Vec<u8> {
    const WIDTH: u32 = 1024;
    let dims = [onnx::Dim::Fixed(8), onnx::Dim::Fixed(WIDTH.into())];
    let mut model = onnx::Model::new();
    model.input("x", onnx::Element::Float, &dims);
    let mut last = "x".to_owned();
    let mut weights = Vec::new();
    let mut random = 1_u32;
    for layer in 0..8 {
        let name = format!("w{layer}");
        last = model.node("MatMul", &[&last, &name], &[]);
        let mut raw = Vec::new();
        for _ in 0..WIDTH * WIDTH {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let small = f32::from((random >> 16) as u16) / 65_536.0 - 0.5;
            raw.extend((small / 16.0).to_le_bytes());
        }
        // TensorProto: two dims, the type float, the name, the numbers.
        let mut tensor = vec![0x08, 0x80, 0x08, 0x08, 0x80, 0x08, 0x10, 0x01];
        tensor.extend(field(8, name.as_bytes()));
        tensor.extend(field(9, &raw));
        weights.extend(field(5, &tensor));
    }
    model.named_node("end", "Tanh", &[&last], "y", &[]);
    model.output("y", onnx::Element::Float, &dims);
    // Two halves of one message, one behind the other, are the message.
    [model.encode(), field(7, &weights)].concat()
}

/// A field of a protobuf message that holds bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let (mut bytes, mut length) = (vec![number << 3 | 2], content.len());
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(content);
    bytes
}

/// An agent with a key and a model, and a folder for plans.
pub struct Bench {
    pub agent: Agent,
    pub model: String,
    pub plan: PathBuf,
}

impl Bench {
    /// An agent that has this model.
    pub fn new(model: &[u8]) -> Self {
        let agent = Agent::init();
        let model = agent.file("model.onnx", model);
        fs::create_dir(agent.home().join("out")).unwrap();
        let plan = agent.home().join("out/model.plan");
        Self { agent, model, plan }
    }

    /// `acta build MODEL -o PLAN --json` and more.
    pub fn build_command(&self, more: &[&str]) -> Command {
        let plan = self.plan.to_str().unwrap();
        let mut command = self.agent.command(&["build", &self.model, "-o", plan, "--json"]);
        command.args(more);
        command
    }

    /// Builds to the end.
    pub fn build(&self, more: &[&str]) -> Ended {
        explain(self.build_command(more).output().unwrap().into())
    }

    /// The files beside the plan, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.plan.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// How long the partial file is; none if there is none.
    pub fn partial_bytes(&self) -> Option<u64> {
        let name = self.files().into_iter().find(|name| name.contains(".acta-partial-"))?;
        fs::metadata(self.plan.with_file_name(name)).ok().map(|there| there.len())
    }

    /// How many statements wait, are sent and are refused.
    pub fn outbox(&self) -> [u64; 3] {
        let status = self.agent.ok(&["status", "--json"]).json();
        ["waiting", "sent", "refused"].map(|shelf| status[shelf].as_u64().unwrap())
    }

    /// A blob of this agent, by a digest in its evidence.
    pub fn blob(&self, digest: &Value) -> Vec<u8> {
        let digest = digest.as_str().unwrap();
        let path = self.agent.home().join("state/blobs/sha256").join(&digest[..2]).join(digest);
        let bytes = fs::read(path).unwrap();
        assert_eq!(Sha256Digest::of(&bytes).to_string(), digest);
        bytes
    }

    /// The summary of a run, out of the statement of this digest.
    pub fn summary_of(&self, run: uuid::Uuid, digest: &Sha256Digest) -> BuildSummary {
        let folder = self.agent.home().join("state/outbox");
        let mut items = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let item =
            items.find(|path| fs::read_to_string(path).unwrap().contains(&digest.to_string())).unwrap();
        let item: Value = serde_json::from_slice(&fs::read(item).unwrap()).unwrap();
        let envelope = Envelope::parse(item["envelope"].to_string().as_bytes()).unwrap();
        assert_eq!(Sha256Digest::of(&envelope.to_canonical_json()), *digest);
        let summary: BuildSummary = Statement::from_envelope(&envelope).unwrap().predicate().unwrap();
        assert_eq!(summary.run.id, run);
        summary
    }

    /// The newest statement that waits, its signature verified.
    pub fn newest_statement(&self) -> (Statement, Sha256Digest) {
        newest_statement(&self.agent)
    }
}

/// The newest statement that waits in an agent's outbox, its signature verified.
pub fn newest_statement(agent: &Agent) -> (Statement, Sha256Digest) {
    let folder = agent.home().join("state/outbox");
    let mut items: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    items.sort();
    let item: Value = serde_json::from_slice(&fs::read(items.last().unwrap()).unwrap()).unwrap();
    let envelope = Envelope::parse(item["envelope"].to_string().as_bytes()).unwrap();
    let key = agent.ok(&["status", "--json"]).json()["key"]["publicKey"].as_str().unwrap().to_owned();
    let (envelope, _) = envelope.verified(&[PublicKey::from_base64(&key).unwrap()], 1).unwrap();
    let digest = Sha256Digest::of(&envelope.to_canonical_json());
    (Statement::from_envelope(&envelope).unwrap(), digest)
}

/// Says what to do where the library is not there.
pub fn explain(ended: Ended) -> Ended {
    let missing = ended.stderr.contains("no TensorRT library that fits");
    assert!(!missing, "TensorRT-RTX is not installed: run scripts/setup\n{}", ended.stderr);
    ended
}

/// The summary in what `--json` printed: exactly one object, and of our types.
pub fn summary(ended: &Ended) -> BuildSummary {
    assert_eq!(ended.stdout.trim_end().lines().count(), 1, "{}", ended.stdout);
    serde_json::from_value(ended.json()["predicate"].clone()).unwrap()
}

/// A build that runs, and what it has said so far.
pub struct Running {
    pub child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    said: String,
}

impl Running {
    /// Starts it.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, said: String::new() }
    }

    /// Waits until it says something like this.
    pub fn wait_for(&mut self, words: &str) -> &mut Self {
        while !self.said.lines().last().unwrap_or_default().contains(words) {
            let mut line = String::new();
            let more = self.stderr.read_line(&mut line).unwrap();
            self.said.push_str(&line);
            assert!(more > 0, "it ended before it said {words:?}: {}", self.said);
        }
        self
    }

    /// What it has said so far.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Sends a signal, without a detour over another process: moments count here.
    pub fn signal(&mut self, signal: Signal) -> &mut Self {
        send(self.child.id(), signal);
        self
    }

    /// The worker's process.
    pub fn worker(&self) -> u32 {
        let children = format!("/proc/{0}/task/{0}/children", self.child.id());
        fs::read_to_string(children).unwrap().split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        self.stderr.read_to_string(&mut self.said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        explain(Ended { stderr: self.said, ..output.into() })
    }
}

/// Sends a signal to a process.
pub fn send(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Whether a process runs. Whoever is to wait for an orphan may never do: in a container that can be any program.
pub fn is_running(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}
