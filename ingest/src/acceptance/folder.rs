//! A scenario's own folder: the model, the folder where a consumer would look for plans, the one of timing caches.

use std::{fs, io, path::PathBuf};

use acta_ledger::evidence::acceptance::{CACHES, ListedFile, PLANS};
use tempfile::TempDir;

use crate::{
    blob::digest_file,
    error::{CliError, Result},
};

/// The folder; it goes away with this.
pub struct Folder {
    root: TempDir,
}

impl Folder {
    /// Makes it.
    pub fn new() -> Result<Self> {
        let failed = |error: io::Error| {
            CliError::failure("the scenario's folder cannot be made")
                .found(error.to_string())
                .help("make room in the folder for temporary files, or name another one in TMPDIR")
        };
        let root = tempfile::Builder::new().prefix("acta-acceptance-").tempdir().map_err(failed)?;
        for name in [PLANS, CACHES] {
            fs::create_dir(root.path().join(name)).map_err(failed)?;
        }
        Ok(Self { root })
    }

    /// Writes a model and returns its path.
    pub fn model(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        self.write(format!("{name}.onnx"), bytes)
    }

    /// Where the plan is to stand.
    pub fn plan(&self) -> PathBuf {
        self.root.path().join(PLANS).join("model.plan")
    }

    /// The timing cache's file, which does not exist yet.
    pub fn cache(&self) -> PathBuf {
        self.root.path().join(CACHES).join("timing.cache")
    }

    /// Puts bytes where the timing cache is looked for.
    pub fn damage_cache(&self) -> Result<()> {
        let path = format!("{CACHES}timing.cache");
        self.write(path, b"these bytes are no timing cache, and were never written by a library").map(drop)
    }

    /// Removes what earlier attempts made, so that whatever stands there afterwards is of the next one.
    pub fn empty_plans(&self) -> Result<()> {
        let plans = self.root.path().join(PLANS);
        fs::remove_dir_all(&plans)
            .and_then(|()| fs::create_dir(&plans))
            .map_err(|error| CliError::io("empty", &plans, &error))
    }

    /// Every file of both folders, hidden ones too.
    pub fn list(&self) -> Result<Vec<ListedFile>> {
        let mut files = Vec::new();
        for folder in [CACHES, PLANS] {
            let path = self.root.path().join(folder);
            let read = |error: &io::Error| CliError::io("list", &path, error);
            for entry in fs::read_dir(&path).map_err(|error| read(&error))? {
                let entry = entry.map_err(|error| read(&error))?;
                let (digest, bytes) = digest_file(&entry.path()).map_err(|error| read(&error))?;
                let name = format!("{folder}{}", entry.file_name().to_string_lossy());
                files.push(ListedFile { name, bytes, digest });
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    fn write(&self, name: String, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.root.path().join(name);
        fs::write(&path, bytes).map_err(|error| CliError::io("write", &path, &error))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_are_listed_and_plans_are_emptied() {
        let folder = Folder::new().unwrap();
        fs::write(folder.plan(), "plan").unwrap();
        fs::write(folder.plan().with_file_name(".model.plan.part"), "half").unwrap();
        folder.damage_cache().unwrap();
        let names: Vec<String> = folder.list().unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["caches/timing.cache", "plans/.model.plan.part", "plans/model.plan"]);
        folder.empty_plans().unwrap();
        assert_eq!(folder.list().unwrap().len(), 1);
    }
}
