//! The machine, as it tells about itself; the driver and its CUDA version as the GPU's own library tells them.

use std::{fs, path::Path, thread};

use acta_ledger::evidence::build::HostRecord;

use super::gpu::GpuFacts;

/// Looks around.
pub fn record(gpu: Option<&GpuFacts>) -> HostRecord {
    let kernel_module = || fs::read_to_string("/proc/driver/nvidia/version").ok();
    let text = |value: &std::ffi::CStr| value.to_string_lossy().into_owned();
    let uname = rustix::system::uname();
    HostRecord {
        os: os_name(&fs::read_to_string("/etc/os-release").unwrap_or_default())
            .unwrap_or_else(|| text(uname.sysname())),
        kernel: text(uname.release()),
        architecture: text(uname.machine()),
        cpus: thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX)),
        container: container(),
        driver: gpu.and_then(|facts| facts.driver.clone()).or_else(|| driver(&kernel_module()?)),
        cuda: gpu.and_then(|facts| facts.cuda.clone()),
    }
}

fn os_name(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned()).filter(|name| !name.is_empty())
}

/// The version in the line `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  ...`.
fn driver(version_file: &str) -> Option<String> {
    let line = version_file.lines().find(|line| line.starts_with("NVRM version"))?;
    let is_version = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    line.split_whitespace().find(is_version).map(str::to_owned)
}

fn container() -> Option<String> {
    let named = std::env::var("container").ok().filter(|name| !name.is_empty());
    let kubernetes = || std::env::var_os("KUBERNETES_SERVICE_HOST").map(|_| "kubernetes".to_owned());
    let marked = || {
        [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")]
            .into_iter()
            .find(|(file, _)| Path::new(file).exists())
            .map(|(_, name)| name.to_owned())
    };
    kubernetes().or(named).or_else(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_are_written() {
        assert_eq!(os_name("ID=debian\nPRETTY_NAME=\"Debian 13\"\n").unwrap(), "Debian 13");
        assert_eq!(os_name("PRETTY_NAME=\"\""), None);
        let line = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build";
        assert_eq!(driver(line).unwrap(), "580.95.05");
        assert_eq!(driver("nothing"), None);
        assert!(record(None).cpus > 0);
    }
}
