// Builds MODEL into PLAN in C++ with the library in LIBRARIES, as the parity tests ask for it.
//
// ACTA_TEST_SIGINT   start, step, finish: sends SIGINT to this process from inside that callback
// ACTA_TEST_STEP_US  so many microseconds go by before each step's answer: steps that the library makes in one burst are
//                    then that far apart
// Ends with 9 if no plan came out.

#include "acta_monitor.hpp"

#include <NvOnnxParser.h>

#include <string>

namespace
{

char const* const kPHASE = "Optimizing graph";

//! Sends SIGINT from inside a callback, before or after the monitor's own part, and takes its time before a step.
class Meddling : public acta::ProgressMonitor
{
public:
    void phaseStart(char const* name, char const* parent, int32_t steps) noexcept override
    {
        interrupt("start", name);
        acta::ProgressMonitor::phaseStart(name, parent, steps);
    }

    bool stepComplete(char const* name, int32_t step) noexcept override
    {
        std::this_thread::sleep_for(mStep);
        bool const goesOn = acta::ProgressMonitor::stepComplete(name, step);
        if (step == 3)
        {
            interrupt("step", name);
        }
        return goesOn;
    }

    void phaseFinish(char const* name) noexcept override
    {
        interrupt("finish", name);
        acta::ProgressMonitor::phaseFinish(name);
    }

private:
    void interrupt(char const* where, char const* name) const
    {
        if (mWhere != nullptr && std::strcmp(mWhere, where) == 0 && std::strcmp(name, kPHASE) == 0)
        {
            std::raise(SIGINT);
        }
    }

    static std::chrono::microseconds stepTime()
    {
        char const* text = std::getenv("ACTA_TEST_STEP_US");
        return std::chrono::microseconds{text != nullptr ? std::atoi(text) : 0};
    }

    char const* mWhere{std::getenv("ACTA_TEST_SIGINT")};
    std::chrono::microseconds const mStep{stepTime()};
};

template <typename Function>
Function symbol(std::string const& library, char const* name)
{
    void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* found = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    if (found == nullptr)
    {
        std::fprintf(stderr, "%s: %s\n", library.c_str(), dlerror());
        std::exit(2);
    }
    return reinterpret_cast<Function>(found);
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 4)
    {
        return 2;
    }
    char const* model = arguments[1];
    char const* planPath = arguments[2];
    std::string const libraries = arguments[3];
    auto* const createBuilder
        = symbol<void* (*)(void*, int32_t)>(libraries + "/libtensorrt_rtx.so.1", "createInferBuilder_INTERNAL");
    auto* const createParser = symbol<void* (*)(void*, void*, int)>(
        libraries + "/libtensorrt_onnxparser_rtx.so.1", "createNvOnnxParser_INTERNAL");

    Meddling monitor;
    acta::InterruptGuard const interrupts{monitor};
    acta::Logger logger{monitor};
    std::unique_ptr<nvinfer1::IBuilder> const builder{
        static_cast<nvinfer1::IBuilder*>(createBuilder(&logger, NV_TENSORRT_VERSION))};
    std::unique_ptr<nvinfer1::INetworkDefinition> const network{builder->createNetworkV2(1)};
    std::unique_ptr<nvonnxparser::IParser> const parser{
        static_cast<nvonnxparser::IParser*>(createParser(network.get(), &logger, NV_ONNX_PARSER_VERSION))};
    if (!monitor.parse(*parser, model))
    {
        return 3;
    }
    std::unique_ptr<nvinfer1::IBuilderConfig> const config{builder->createBuilderConfig()};
    std::unique_ptr<nvinfer1::IHostMemory> const plan{monitor.build(*builder, *network, *config)};
    if (!plan)
    {
        return 9;
    }
    return monitor.save(plan->data(), plan->size(), planPath) ? 0 : 4;
}
