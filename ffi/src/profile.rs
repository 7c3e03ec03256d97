//! Optimization profiles: the shapes that a build with dynamic inputs is made for.

use std::fmt;

use crate::builder::Shared;
use crate::config::c_text;
use crate::error::Error;
use crate::shim::call;
use crate::sys;

/// The shapes of every dynamic input, in one profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The inputs, in the order in which they are set.
    pub inputs: Vec<ProfileInput>,
}

/// One input's range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileInput {
    /// The input's name.
    pub name: String,
    /// What the numbers are.
    pub kind: ProfileKind,
    /// The least that is permitted.
    pub min: Vec<i64>,
    /// What the engine is tuned for.
    pub opt: Vec<i64>,
    /// The most that is permitted.
    pub max: Vec<i64>,
}

/// What the numbers of a profile are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProfileKind {
    /// The dimensions of an input.
    Dims,
    /// The values of an input that is itself a shape.
    Values,
}

impl Profile {
    /// A profile without inputs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input's dimensions.
    #[must_use]
    pub fn dims(self, name: impl Into<String>, min: &[i64], opt: &[i64], max: &[i64]) -> Self {
        self.input(name.into(), ProfileKind::Dims, [min, opt, max])
    }

    /// Adds the values of an input that is itself a shape.
    #[must_use]
    pub fn values(self, name: impl Into<String>, min: &[i64], opt: &[i64], max: &[i64]) -> Self {
        self.input(name.into(), ProfileKind::Values, [min, opt, max])
    }

    fn input(mut self, name: String, kind: ProfileKind, [min, opt, max]: [&[i64]; 3]) -> Self {
        let [min, opt, max] = [min.to_vec(), opt.to_vec(), max.to_vec()];
        self.inputs.push(ProfileInput { name, kind, min, opt, max });
        self
    }

    /// Makes TensorRT's profile, which the builder owns, and adds it to a configuration of that builder.
    pub(crate) fn add(&self, shared: &Shared, config: *mut sys::acta_trt_config) -> Result<i32, Error> {
        let api = shared.library.api();
        let mut profile = std::ptr::null_mut();
        shared.ask("IBuilder::createOptimizationProfile", |text| {
            // SAFETY: the builder is alive, and used on its own thread.
            unsafe { call!(api, profile_create(shared.handle, &raw mut profile, text)) }
        })?;
        for input in &self.inputs {
            for (selector, numbers) in (0..).zip([&input.min, &input.opt, &input.max]) {
                input
                    .set(shared, profile, selector, numbers)
                    .map_err(|error| error.with_detail(|| input.to_string()))?;
            }
        }
        shared
            .ask("IOptimizationProfile::isValid", |text| {
                // SAFETY: the builder owns the profile, and is alive.
                unsafe { call!(api, profile_is_valid(profile, text)) }
            })
            .map_err(|error| error.with_detail(|| self.to_string()))?;
        let mut index = -1;
        shared
            .ask("IBuilderConfig::addOptimizationProfile", |text| {
                // SAFETY: config and profile are of the same builder, and alive.
                unsafe { call!(api, config_add_profile(config, profile, &raw mut index, text)) }
            })
            .map_err(|error| error.with_detail(|| self.to_string()))?;
        Ok(index)
    }
}

impl ProfileInput {
    fn set(
        &self,
        shared: &Shared,
        profile: *mut sys::acta_trt_profile,
        selector: i32,
        numbers: &[i64],
    ) -> Result<(), Error> {
        let api = shared.library.api();
        let name = c_text(&self.name)?;
        let many = || Error::Argument { what: format!("{} numbers for {}", numbers.len(), self.name) };
        let count = i32::try_from(numbers.len()).map_err(|_| many())?;
        match self.kind {
            ProfileKind::Dims => {
                let mut dims = sys::acta_trt_dims { count, sizes: [0; sys::ACTA_TRT_MAX_DIMS as usize] };
                dims.sizes.get_mut(..numbers.len()).ok_or_else(many)?.copy_from_slice(numbers);
                shared.ask("IOptimizationProfile::setDimensions", |text| {
                    let (name, dims) = (name.as_ptr(), &raw const dims);
                    // SAFETY: the builder owns the profile, and is alive; name and dims are copied.
                    unsafe { call!(api, profile_set_dims(profile, name, selector, dims, text)) }
                })
            }
            ProfileKind::Values => shared.ask("IOptimizationProfile::setShapeValuesV2", |text| {
                let (name, values) = (name.as_ptr(), numbers.as_ptr());
                // SAFETY: the builder owns the profile, and is alive; name and values are copied.
                unsafe { call!(api, profile_set_values(profile, name, selector, values, count, text)) }
            }),
        }
    }
}

/// As trtexec writes it: `x=1x1x16,4x8x16,8x32x16`.
impl fmt::Display for ProfileInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
        write!(f, "{}={},{},{}", self.name, by(&self.min), by(&self.opt), by(&self.max))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<_> = self.inputs.iter().map(ProfileInput::to_string).collect();
        f.write_str(&inputs.join(" "))
    }
}
