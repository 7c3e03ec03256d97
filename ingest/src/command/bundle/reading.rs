//! Reading a bundle with a bar, as a stream.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use acta_ledger::evidence::bundle::{InspectError, Inspection, inspect};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    error::{CliError, Result},
    ui::Ui,
};

/// From which length on a bar is shown.
const BAR_FROM: u64 = 256 << 20;

/// Opens a file that must be a regular one; its length goes along.
pub fn open(field: &str, path: &Path) -> Result<(File, u64)> {
    let wrong = |what: &str| CliError::usage(what).field(field).found(path.display().to_string());
    let unreadable =
        |error: io::Error| wrong("the file cannot be read").expected(format!("a file ({error})"));
    // Not opened before it is looked at: opening a pipe would wait for whoever writes into it.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(wrong("this is no file"));
    }
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    Ok((file, bytes))
}

/// Reads a bundle to its end.
pub fn read(field: &str, path: &Path, ui: Ui) -> Result<Inspection> {
    let (file, bytes) = open(field, path)?;
    let bar = bar(ui, path, bytes);
    let inspection = inspect(Watched { inner: file, bar: &bar }, bytes);
    bar.finish_and_clear();
    inspection.map_err(|error| failed(field, path, &error))
}

/// Why a bundle could not be read to its end.
pub fn failed(field: &str, path: &Path, error: &InspectError) -> CliError {
    CliError::failure("the bundle could not be read to its end")
        .field(field)
        .found(format!("{}: {error}", path.display()))
        .help("nothing was changed; try again when nobody writes to the file")
}

/// A bar for a file of that length; an invisible one for a short file or where nobody looks.
pub fn bar(ui: Ui, path: &Path, bytes: u64) -> ProgressBar {
    if ui.quiet() || !ui.terminal() || bytes < BAR_FROM {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}");
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr_with_hz(4));
    if let Ok(style) = style {
        bar.set_style(style);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    bar.with_message(crate::ui::visible_line(&name))
}

/// A reader that moves a bar.
pub struct Watched<'a, R> {
    /// What is read.
    pub inner: R,
    /// The bar.
    pub bar: &'a ProgressBar,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.bar.inc(got as u64);
        Ok(got)
    }
}
