//! End to end: real processes of the agent and the server, real TensorRT, files and signals.

mod acceptance;
mod audit;
mod backup;
mod build;
mod crash;
mod damage;
mod docs;
mod fault;
mod fault_list;
mod idle;
mod key;
mod live;
mod pack;
mod power;
mod rebuild;
mod rollback;
mod runs;
