// The settings of a builder configuration, by number: what both families have, and what only one has.

#pragma once

#include "boundary.hpp"

#include <type_traits>

namespace
{

// Makes a call that answers, or one that does not: a setter may return void in one version and bool in the next. After
// a void the caller reads the value back to learn whether it was taken.
template <class Call>
int32_t asked(Call call)
{
    if constexpr (std::is_void_v<decltype(call())>)
    {
        call();
        return ACTA_TRT_YES;
    }
    else
    {
        return answer(call());
    }
}

int32_t set_integer(IBuilderConfig& config, int32_t setting, int32_t index, int64_t value)
{
    auto const small = static_cast<int32_t>(value);
    switch (setting)
    {
    case ACTA_TRT_FLAGS: return asked([&] { return config.setFlags(static_cast<BuilderFlags>(value)); });
    case ACTA_TRT_OPTIMIZATION_LEVEL: return asked([&] { return config.setBuilderOptimizationLevel(small); });
    case ACTA_TRT_TACTIC_SOURCES:
        return asked([&] { return config.setTacticSources(static_cast<TacticSources>(value)); });
    case ACTA_TRT_MAX_AUX_STREAMS: return asked([&] { return config.setMaxAuxStreams(small); });
    case ACTA_TRT_HARDWARE_COMPATIBILITY:
        return asked([&] {
            return config.setHardwareCompatibilityLevel(static_cast<HardwareCompatibilityLevel>(small));
        });
    case ACTA_TRT_PROFILING_VERBOSITY:
        return asked([&] { return config.setProfilingVerbosity(static_cast<ProfilingVerbosity>(small)); });
    case ACTA_TRT_AVG_TIMING_ITERATIONS: return asked([&] { return config.setAvgTimingIterations(small); });
    case ACTA_TRT_MAX_TACTICS: return asked([&] { return config.setMaxNbTactics(small); });
    case ACTA_TRT_TILING_LEVEL:
        return asked([&] {
            return config.setTilingOptimizationLevel(static_cast<TilingOptimizationLevel>(small));
        });
    case ACTA_TRT_L2_LIMIT: return asked([&] { return config.setL2LimitForTiling(value); });
    case ACTA_TRT_RUNTIME_PLATFORM:
        return asked([&] { return config.setRuntimePlatform(static_cast<RuntimePlatform>(small)); });
    case ACTA_TRT_ENGINE_CAPABILITY:
        return asked([&] { return config.setEngineCapability(static_cast<EngineCapability>(small)); });
    case ACTA_TRT_MEMORY_POOL:
        return asked([&] {
            return config.setMemoryPoolLimit(static_cast<MemoryPoolType>(index), static_cast<size_t>(value));
        });
    case ACTA_TRT_PREVIEW_FEATURE:
        return asked([&] { return config.setPreviewFeature(static_cast<PreviewFeature>(index), value != 0); });
#ifdef TRT_MAJOR_RTX
    case ACTA_TRT_COMPUTE_CAPABILITY_COUNT: return asked([&] { return config.setNbComputeCapabilities(small); });
    case ACTA_TRT_COMPUTE_CAPABILITY:
        return asked([&] { return config.setComputeCapability(static_cast<ComputeCapability>(small), index); });
#endif
    default: return ACTA_TRT_UNSUPPORTED;
    }
}

int32_t get_integer(IBuilderConfig& config, int32_t setting, int32_t index, int64_t& value)
{
    auto const found = [&value](auto raw) {
        value = static_cast<int64_t>(raw);
        return ACTA_TRT_YES;
    };
    switch (setting)
    {
    case ACTA_TRT_FLAGS: return found(config.getFlags());
    case ACTA_TRT_OPTIMIZATION_LEVEL: return found(config.getBuilderOptimizationLevel());
    case ACTA_TRT_TACTIC_SOURCES: return found(config.getTacticSources());
    case ACTA_TRT_MAX_AUX_STREAMS: return found(config.getMaxAuxStreams());
    case ACTA_TRT_HARDWARE_COMPATIBILITY: return found(config.getHardwareCompatibilityLevel());
    case ACTA_TRT_PROFILING_VERBOSITY: return found(config.getProfilingVerbosity());
    case ACTA_TRT_AVG_TIMING_ITERATIONS: return found(config.getAvgTimingIterations());
    case ACTA_TRT_MAX_TACTICS: return found(config.getMaxNbTactics());
    case ACTA_TRT_TILING_LEVEL: return found(config.getTilingOptimizationLevel());
    case ACTA_TRT_L2_LIMIT: return found(config.getL2LimitForTiling());
    case ACTA_TRT_RUNTIME_PLATFORM: return found(config.getRuntimePlatform());
    case ACTA_TRT_ENGINE_CAPABILITY: return found(config.getEngineCapability());
    case ACTA_TRT_MEMORY_POOL: return found(config.getMemoryPoolLimit(static_cast<MemoryPoolType>(index)));
    case ACTA_TRT_PREVIEW_FEATURE: return found(config.getPreviewFeature(static_cast<PreviewFeature>(index)));
    case ACTA_TRT_PROFILE_COUNT: return found(config.getNbOptimizationProfiles());
    case ACTA_TRT_HAS_TIMING_CACHE: return found(config.getTimingCache() != nullptr);
#ifdef TRT_MAJOR_RTX
    case ACTA_TRT_COMPUTE_CAPABILITY_COUNT: return found(config.getNbComputeCapabilities());
    case ACTA_TRT_COMPUTE_CAPABILITY: return found(config.getComputeCapability(index));
#endif
    default: return ACTA_TRT_UNSUPPORTED;
    }
}

// Build routes came with some 11.x: the headers at hand tell whether they are there.
template <class Config>
auto set_route(Config& config, char const* value, int) -> decltype(config.setBuildRoute(value), int32_t{})
{
    return answer(config.setBuildRoute(value));
}
template <class Config>
int32_t set_route(Config&, char const*, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto get_route(Config& config, bool all, char const** value, int) -> decltype(config.getBuildRoute(), int32_t{})
{
    *value = all ? config.getAllBuildRoutes() : config.getBuildRoute();
    return ACTA_TRT_YES;
}
template <class Config>
int32_t get_route(Config&, bool, char const**, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto set_remote(Config& config, char const* value, int)
    -> decltype(config.setRemoteAutoTuningConfig(value), int32_t{})
{
    return answer(config.setRemoteAutoTuningConfig(value));
}
template <class Config>
int32_t set_remote(Config&, char const*, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto get_remote(Config& config, char const** value, int)
    -> decltype(config.getRemoteAutoTuningConfig(), int32_t{})
{
    *value = config.getRemoteAutoTuningConfig();
    return ACTA_TRT_YES;
}
template <class Config>
int32_t get_remote(Config&, char const**, long)
{
    return ACTA_TRT_UNSUPPORTED;
}

} // namespace
