//! Running the Stuck-Build Acceptance Test (evidence.md, section 3) on the real library.
//!
//! ```text
//! for each scenario, in a folder of its own:
//!   reference   where the scenario is a change: the build before it
//!   baseline    the same configuration, not cancelled
//!   faulted     asked to stop at 40 % of the baseline's time, then at 25, 15, 8 %, until a step answers
//!   retry       `acta retry`: by the policy that the cancelled run recorded
//! then: judge::acceptance over summaries, phase trees, event logs and folder listings; the matrix is signed
//! ```
//!
//! TensorRT only looks between steps, and ignores a request after its last one: a try that came too late is evidence as
//! well (a censored latency), and the next one is made earlier. Signals go to `acta build` as a process of its own, and an
//! editor's session is held with `acta build --ide`; what a program asks goes to a build in this process, from a thread
//! or from a task of an event loop that is not the build's. `programmatic_cancel` goes over the portal where a person
//! lent a token for it.

pub mod attempt;
pub mod folder;
pub mod host;
pub mod network;
pub mod portal;
pub mod recipe;
pub mod runner;
pub mod show;
