//! What cancels are told apart by, in words.

use acta_ledger::evidence::build::NO_GPU;

use crate::{i18n::Lang, view::cancels::Field};

impl Field {
    /// The id of its part.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Route => "by-route",
            Self::Phase => "by-phase",
            Self::Gpu => "by-gpu",
            Self::Source => "by-source",
        }
    }

    /// The key of its name.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Route => "run-head-route",
            Self::Phase => "cancels-phase",
            Self::Gpu => "run-head-gpu",
            Self::Source => "cancels-source",
        }
    }

    /// The key of its part's title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Route => "cancels-by-route",
            Self::Phase => "cancels-by-phase",
            Self::Gpu => "cancels-by-gpu",
            Self::Source => "cancels-source",
        }
    }

    /// A value as a reader meets it.
    pub(super) fn name(self, value: Option<&str>, lang: Lang) -> String {
        match (self, value) {
            (Self::Route, None) => lang.t("cancels-no-route"),
            (Self::Phase, None) => lang.t("cancels-no-phase"),
            (Self::Gpu, Some(NO_GPU)) => lang.t("gpu-none"),
            (Self::Source, Some(source)) => lang.code_text("cancel-source", source),
            (_, value) => value.unwrap_or_default().to_owned(),
        }
    }
}
