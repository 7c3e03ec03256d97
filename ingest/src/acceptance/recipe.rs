//! What each scenario builds, and from where it is asked to stop.

use acta_ledger::evidence::acceptance::Scenario;
use rustix::process::Signal;

use super::network::{Element, Network};

/// What is built, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The network.
    pub network: Network,
    /// The target: the compute capability without its point.
    pub target: Option<i32>,
    /// The optimization level.
    pub level: Option<i32>,
    /// Threads.
    pub threads: Option<i32>,
    /// Whether a timing cache's file is named.
    pub cache: bool,
}

/// Where the request to stop comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A thread of the program that builds.
    Thread,
    /// A task of an event loop of the program that builds.
    EventLoop,
    /// A signal to `acta build`.
    Signal(Signal),
    /// A request in the portal.
    Portal,
    /// The stop button of an editor that asked `acta build --ide` for the build.
    Editor,
}

/// A scenario's recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// The build before the change, where the scenario is a change.
    pub reference: Option<Order>,
    /// What is built.
    pub order: Order,
    /// Whether the timing cache's file is damaged between baseline and fault.
    pub damage_cache: bool,
    /// How it is asked to stop.
    pub way: Way,
}

/// A build with the library's own settings.
fn plain(network: Network) -> Order {
    Order { network, target: None, level: None, threads: None, cache: false }
}

/// The recipe. `portal`: the portal can be asked to stop a build.
pub fn recipe(scenario: Scenario, portal: bool) -> Recipe {
    let small = plain(Network::Chain(80, Element::Float));
    let of = |order, way| Recipe { reference: None, order, damage_cache: false, way };
    match scenario {
        Scenario::ColdTimingCache => {
            Recipe { damage_cache: true, ..of(Order { cache: true, ..small }, Way::Thread) }
        }
        Scenario::DeepTacticSearch => of(Order { level: Some(5), ..plain(Network::Wide(24)) }, Way::Thread),
        Scenario::StronglyTypedChange => {
            Recipe { reference: Some(small), ..of(plain(Network::Chain(80, Element::Half)), Way::Thread) }
        }
        Scenario::NewGpuSku => Recipe {
            reference: Some(Order { target: Some(86), ..small }),
            ..of(Order { target: Some(120), ..small }, Way::Thread)
        },
        Scenario::SlowBuilderSettings => {
            of(Order { level: Some(5), threads: Some(1), ..plain(Network::Residual(30)) }, Way::Thread)
        }
        Scenario::CtrlC => of(small, Way::Signal(Signal::INT)),
        Scenario::ProgrammaticCancel => of(small, if portal { Way::Portal } else { Way::Thread }),
        Scenario::ServiceShutdown => of(small, Way::Signal(Signal::TERM)),
        Scenario::ExternalEventLoop => of(small, Way::EventLoop),
        Scenario::IdeStop => of(small, Way::Editor),
    }
}
