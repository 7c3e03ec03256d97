// What TensorRT calls: each object passes everything on to the C functions that it was made with.

#pragma once

#include "trt_shim.h"

#include <NvInfer.h>

#include <array>
#include <atomic>
#include <cstdio>

namespace
{

using namespace nvinfer1;

class Logger final : public ILogger
{
public:
    Logger(acta_trt_log_fn call, void* context)
        : mCall(call)
        , mContext(context)
    {
    }
    void log(Severity severity, AsciiChar const* message) noexcept override
    {
        mCall(mContext, static_cast<int32_t>(severity), message);
    }

private:
    acta_trt_log_fn mCall;
    void* mContext;
};

// Passes every error on, and keeps the first ones for TensorRT's own questions. No lock, no allocation.
class Recorder final : public IErrorRecorder
{
public:
    Recorder(acta_trt_error_fn call, void* context)
        : mCall(call)
        , mContext(context)
    {
    }
    int32_t getNbErrors() const noexcept override
    {
        uint32_t const reported = mReported.load();
        return static_cast<int32_t>(reported < mKept.size() ? reported : mKept.size());
    }
    ErrorCode getErrorCode(int32_t index) const noexcept override
    {
        Kept const* const kept = at(index);
        return kept == nullptr ? ErrorCode::kINVALID_ARGUMENT : kept->code;
    }
    ErrorDesc getErrorDesc(int32_t index) const noexcept override
    {
        Kept const* const kept = at(index);
        return kept == nullptr ? "" : kept->text;
    }
    bool hasOverflowed() const noexcept override
    {
        return mReported.load() > mKept.size();
    }
    void clear() noexcept override
    {
        for (auto& kept : mKept)
        {
            kept.ready.store(false);
        }
        mReported.store(0);
    }
    bool reportError(ErrorCode code, ErrorDesc message) noexcept override
    {
        mCall(mContext, static_cast<int32_t>(code), message);
        uint32_t const index = mReported.fetch_add(1);
        if (index < mKept.size())
        {
            Kept& kept = mKept[index];
            kept.code = code;
            std::snprintf(kept.text, sizeof kept.text, "%s", message == nullptr ? "" : message);
            kept.ready.store(true);
        }
        return false;
    }
    RefCount incRefCount() noexcept override
    {
        return ++mReferences;
    }
    RefCount decRefCount() noexcept override
    {
        return --mReferences;
    }

private:
    struct Kept
    {
        std::atomic<bool> ready{false};
        ErrorCode code{ErrorCode::kSUCCESS};
        char text[kMAX_DESC_LENGTH + 1]{};
    };
    Kept const* at(int32_t index) const noexcept
    {
        bool const inside = index >= 0 && static_cast<size_t>(index) < mKept.size();
        return inside && mKept[index].ready.load() ? &mKept[index] : nullptr;
    }

    acta_trt_error_fn mCall;
    void* mContext;
    std::array<Kept, 32> mKept{};
    std::atomic<uint32_t> mReported{0};
    std::atomic<RefCount> mReferences{0};
};

class Monitor final : public IProgressMonitor
{
public:
    explicit Monitor(acta_trt_monitor_calls const& calls)
        : mCalls(calls)
    {
    }
    void phaseStart(char const* name, char const* parent, int32_t steps) noexcept override
    {
        mCalls.phase_start(mCalls.context, name, parent, steps);
    }
    bool stepComplete(char const* name, int32_t step) noexcept override
    {
        return mCalls.step_complete(mCalls.context, name, step) != 0;
    }
    void phaseFinish(char const* name) noexcept override
    {
        mCalls.phase_finish(mCalls.context, name);
    }

private:
    acta_trt_monitor_calls mCalls;
};

} // namespace
