// A progress monitor for TensorRT and TensorRT-RTX builds that run under `acta run`. Header only, C++17, POSIX.
//
//     acta::ProgressMonitor monitor;
//     acta::InterruptGuard interrupts{monitor};            // Ctrl-C asks the build to stop
//     acta::Logger logger{monitor};                        // optional: the library's lines become evidence
//     ...
//     monitor.parse(*parser, "model.onnx");
//     nvinfer1::IHostMemory* plan = monitor.build(*builder, *network, *config);
//     if (plan) monitor.save(plan->data(), plan->size(), "model.plan");
//
// A monitor that is only attached with setProgressMonitor works as well; the calls above add what the library makes no
// callback for. What goes over the socket is in ../README.md.
//
// How it keeps out of a build's way: a callback copies its event into a slot of a bounded queue that was allocated
// before, reads one atomic, and returns. One thread empties the queue into the socket, another one hears the supervisor.
// No callback waits, allocates, does I/O or throws. Without a supervisor (no ACTA_EVENTS), or when it goes away, the
// monitor still cancels, and the build goes on.

#ifndef ACTA_MONITOR_HPP
#define ACTA_MONITOR_HPP

#include <NvInfer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace acta
{

inline constexpr char const* kVersion = "0.1.0";

//! Who asks a build to stop.
enum class CancelSource : int32_t
{
    kCTRL_C,
    kCI,
    kIDE,
    kSERVICE,
    kAPI,
    kEVENT_LOOP,
};

namespace detail
{

//! Nanoseconds of the clock that the supervisor subtracts from; safe in a signal handler.
inline int64_t now() noexcept
{
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return static_cast<int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

//! SHA-256 (FIPS 180-4): names that are cut keep the digest of the whole, and models are known by theirs.
class Sha256
{
public:
    void update(void const* data, size_t size) noexcept
    {
        auto const* bytes = static_cast<uint8_t const*>(data);
        mBytes += size;
        while (size > 0)
        {
            size_t const part = std::min(size, mBlock.size() - mUsed);
            std::memcpy(mBlock.data() + mUsed, bytes, part);
            mUsed += part;
            bytes += part;
            size -= part;
            if (mUsed == mBlock.size())
            {
                compress();
                mUsed = 0;
            }
        }
    }

    std::array<uint8_t, 32> finish() noexcept
    {
        uint64_t const bits = mBytes * 8;
        uint8_t const one = 0x80;
        uint8_t const zero = 0;
        update(&one, 1);
        while (mUsed != 56)
        {
            update(&zero, 1);
        }
        std::array<uint8_t, 8> length{};
        for (int i = 0; i < 8; ++i)
        {
            length[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
        }
        update(length.data(), length.size());
        std::array<uint8_t, 32> digest{};
        for (size_t i = 0; i < digest.size(); ++i)
        {
            digest[i] = static_cast<uint8_t>(mState[i / 4] >> (24 - 8 * (i % 4)));
        }
        return digest;
    }

private:
    static uint32_t rotate(uint32_t word, int by) noexcept
    {
        return word >> by | word << (32 - by);
    }

    void compress() noexcept
    {
        static constexpr uint32_t kRound[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
            0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
            0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
            0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3,
            0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354,
            0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
            0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
            0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
            0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
        uint32_t w[64];
        for (int i = 0; i < 16; ++i)
        {
            uint8_t const* at = mBlock.data() + 4 * i;
            w[i] = uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
        }
        for (int i = 16; i < 64; ++i)
        {
            uint32_t const low = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t const high = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + low + w[i - 7] + high;
        }
        std::array<uint32_t, 8> s = mState;
        for (int i = 0; i < 64; ++i)
        {
            uint32_t const sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
            uint32_t const choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
            uint32_t const one = s[7] + sum1 + choice + kRound[i] + w[i];
            uint32_t const sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
            uint32_t const majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            s = {one + sum0 + majority, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
        }
        for (size_t i = 0; i < s.size(); ++i)
        {
            mState[i] += s[i];
        }
    }

    std::array<uint32_t, 8> mState{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
        0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, 64> mBlock{};
    size_t mUsed{0};
    uint64_t mBytes{0};
};

inline std::string hex(std::array<uint8_t, 32> const& digest)
{
    std::string text;
    for (uint8_t const byte : digest)
    {
        static constexpr char kDigits[] = "0123456789abcdef";
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

//! The length of the UTF-8 sequence at a place; 0 where there is none. Surrogates and overlong forms are none.
inline size_t utf8Length(uint8_t const* at, size_t left) noexcept
{
    uint8_t const first = at[0];
    if (first < 0x80)
    {
        return 1;
    }
    size_t const length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (length == 0 || left < length)
    {
        return 0;
    }
    for (size_t i = 1; i < length; ++i)
    {
        if ((at[i] & 0xc0) != 0x80)
        {
            return 0;
        }
    }
    bool const wrong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f)
        || (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f);
    return wrong ? 0 : length;
}

inline bool isUtf8(std::string const& text) noexcept
{
    auto const* bytes = reinterpret_cast<uint8_t const*>(text.data());
    for (size_t i = 0; i < text.size();)
    {
        size_t const length = utf8Length(bytes + i, text.size() - i);
        if (length == 0)
        {
            return false;
        }
        i += length;
    }
    return true;
}

//! A JSON string; what is no UTF-8 becomes U+FFFD.
inline std::string quoted(std::string const& text)
{
    std::string json{"\""};
    auto const* bytes = reinterpret_cast<uint8_t const*>(text.data());
    for (size_t i = 0; i < text.size();)
    {
        size_t const length = utf8Length(bytes + i, text.size() - i);
        if (length == 0)
        {
            json += "\xef\xbf\xbd";
            ++i;
        }
        else if (length > 1)
        {
            json.append(text, i, length);
            i += length;
        }
        else
        {
            char const c = text[i++];
            if (c == '"' || c == '\\')
            {
                json += '\\';
                json += c;
            }
            else if (static_cast<unsigned char>(c) < 0x20)
            {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
                json += escaped;
            }
            else
            {
                json += c;
            }
        }
    }
    return json + '"';
}

inline std::string base64(std::string const& bytes)
{
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t i = 0; i < bytes.size(); i += 3)
    {
        uint32_t triple = 0;
        for (size_t j = 0; j < 3; ++j)
        {
            triple = triple << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0);
        }
        for (size_t j = 0; j < 4; ++j)
        {
            text += i + j <= bytes.size() ? kDigits[triple >> (18 - 6 * j) & 63] : '=';
        }
    }
    return text;
}

//! How many bytes of a phase's name travel; of a longer one the digest goes along.
inline constexpr size_t kNameBytes = 512;
//! How many events wait at most; one more is counted as lost.
inline constexpr size_t kCapacity = 8192;
//! How many other messages wait at most, and how long a line may be.
inline constexpr size_t kMessages = 4096;
inline constexpr size_t kLineBytes = 65536;
inline constexpr size_t kMessageBytes = 4096;
//! How long the queues fill at most before they are emptied, and how long an end waits for what is still to be sent.
inline constexpr auto kRound = std::chrono::milliseconds{2};
inline constexpr auto kPatience = std::chrono::seconds{2};

//! A name in a slot of fixed size.
struct SlotName
{
    std::array<char, kNameBytes> bytes;
    uint16_t used{0};
    bool cut{false};
    std::array<uint8_t, 32> digest;

    void set(char const* name) noexcept
    {
        size_t const length = std::strlen(name);
        used = static_cast<uint16_t>(std::min(length, kNameBytes));
        std::memcpy(bytes.data(), name, used);
        cut = length > kNameBytes;
        if (cut)
        {
            Sha256 hasher;
            hasher.update(name, length);
            digest = hasher.finish();
        }
    }

    std::string json() const
    {
        std::string const text{bytes.data(), used};
        bool const readable = isUtf8(text);
        if (readable && !cut)
        {
            return quoted(text);
        }
        std::string const value = readable ? "{\"text\":" + quoted(text) : "{\"base64\":\"" + base64(text) + '"';
        return value + (cut ? ",\"digest\":\"" + hex(digest) + "\"}" : "}");
    }
};

enum class EventKind : uint8_t
{
    kSTART,
    kSTEP,
    kFINISH,
};

//! One callback.
struct Event
{
    EventKind kind;
    uint8_t cancel;
    bool stop;
    bool hasParent;
    int32_t number;
    uint32_t thread;
    int64_t at;
    SlotName name;
    SlotName parent;
};

//! A bounded queue without locks, for any number of writers and one reader: each slot's turn says whose it is.
class Ring
{
public:
    Ring()
        : mSlots(new Slot[kCapacity])
    {
        for (size_t i = 0; i < kCapacity; ++i)
        {
            mSlots[i].turn.store(i, std::memory_order_relaxed);
        }
    }

    //! Lets `fill` write into a free slot; counts the event as lost where there is none.
    template <typename Fill>
    void push(Fill const& fill) noexcept
    {
        size_t place = mHead.load(std::memory_order_relaxed);
        for (;;)
        {
            Slot& slot = mSlots[place % kCapacity];
            size_t const turn = slot.turn.load(std::memory_order_acquire);
            if (turn == place)
            {
                if (mHead.compare_exchange_weak(place, place + 1, std::memory_order_relaxed))
                {
                    fill(slot.event);
                    slot.turn.store(place + 1, std::memory_order_release);
                    return;
                }
            }
            else if (turn < place)
            {
                mLost.fetch_add(1, std::memory_order_relaxed);
                return;
            }
            else
            {
                place = mHead.load(std::memory_order_relaxed);
            }
        }
    }

    //! Hands the oldest event to `take`; false where there is none.
    template <typename Take>
    bool pop(Take const& take)
    {
        Slot& slot = mSlots[mTail % kCapacity];
        if (slot.turn.load(std::memory_order_acquire) != mTail + 1)
        {
            return false;
        }
        take(slot.event);
        slot.turn.store(mTail + kCapacity, std::memory_order_release);
        ++mTail;
        return true;
    }

    uint64_t takeLost() noexcept
    {
        return mLost.exchange(0, std::memory_order_relaxed);
    }

private:
    struct Slot
    {
        std::atomic<size_t> turn;
        Event event;
    };

    std::unique_ptr<Slot[]> mSlots;
    std::atomic<size_t> mHead{0};
    size_t mTail{0};
    std::atomic<uint64_t> mLost{0};
};

//! The single cancellation state: one atomic that callbacks read.
//!
//!     IDLE --request--> REQUESTED --a step answers "stop"--> ACKNOWLEDGED
//!      +--the write begins--> WRITING --request--> WRITING_REQUESTED      (the request waits)
class CancelFlag
{
public:
    enum State : int32_t
    {
        kIDLE,
        kREQUESTED,
        kACKNOWLEDGED,
        kWRITING,
        kWRITING_REQUESTED,
    };
    static_assert(std::atomic<int32_t>::is_always_lock_free, "a signal handler writes it");

    //! Asks to stop: kREQUESTED if it got through, kWRITING_REQUESTED if it waits, kIDLE if somebody had asked before.
    State request() noexcept
    {
        if (change(kIDLE, kREQUESTED))
        {
            return kREQUESTED;
        }
        return change(kWRITING, kWRITING_REQUESTED) ? kWRITING_REQUESTED : kIDLE;
    }

    //! The state as a step reads it; the first one that stops acknowledges.
    State answerStep() noexcept
    {
        State const read = state();
        if (read == kREQUESTED)
        {
            change(kREQUESTED, kACKNOWLEDGED);
        }
        return read;
    }

    State state() const noexcept
    {
        return static_cast<State>(mState.load(std::memory_order_seq_cst));
    }

    void beginWrite() noexcept
    {
        if (!change(kIDLE, kWRITING))
        {
            mState.store(kWRITING_REQUESTED);
        }
    }

    void endWrite() noexcept
    {
        if (!change(kWRITING, kIDLE))
        {
            change(kWRITING_REQUESTED, kREQUESTED);
        }
    }

    static char const* name(int32_t state) noexcept
    {
        bool const asked = state == kREQUESTED || state == kWRITING_REQUESTED;
        return state == kACKNOWLEDGED ? "acknowledged" : asked ? "requested" : "none";
    }

private:
    bool change(int32_t from, int32_t to) noexcept
    {
        return mState.compare_exchange_strong(from, to);
    }

    std::atomic<int32_t> mState{kIDLE};
};

//! The calling thread's number, counted from 0 in order of appearance.
inline uint32_t threadNumber() noexcept
{
    static std::atomic<uint32_t> next{0};
    static thread_local uint32_t const number = next.fetch_add(1);
    return number;
}

//! A file descriptor that is closed once.
class Descriptor
{
public:
    explicit Descriptor(int fd = -1) noexcept
        : mFd(fd)
    {
    }
    ~Descriptor()
    {
        if (mFd >= 0)
        {
            close(mFd);
        }
    }
    Descriptor(Descriptor const&) = delete;
    Descriptor& operator=(Descriptor const&) = delete;
    void reset(int fd) noexcept
    {
        mFd = fd;
    }
    int get() const noexcept
    {
        return mFd;
    }

private:
    int mFd;
};

} // namespace detail

//! A progress monitor that reports to `acta run` and answers cancels.
class ProgressMonitor : public nvinfer1::IProgressMonitor
{
public:
    ProgressMonitor() noexcept
    {
        try
        {
            connect();
        }
        catch (...)
        {
            // No memory, no thread: nothing is reported, and the build goes on.
            mBroken.store(true);
        }
    }

    ~ProgressMonitor() noexcept override
    {
        {
            std::lock_guard<std::mutex> lock{mMutex};
            mClosing = true;
        }
        mWake.notify_all();
        if (mWriter.joinable())
        {
            mWriter.join();
        }
        if (mSocket.get() >= 0)
        {
            shutdown(mSocket.get(), SHUT_RDWR);
        }
        if (mReader.joinable())
        {
            mReader.join();
        }
    }

    ProgressMonitor(ProgressMonitor const&) = delete;
    ProgressMonitor& operator=(ProgressMonitor const&) = delete;

    // --- What the library calls --------------------------------------------------------------------------------------

    void phaseStart(char const* phaseName, char const* parentPhase, int32_t nbSteps) noexcept override
    {
        push(detail::EventKind::kSTART, detail::now(), mFlag.state(), phaseName, parentPhase, nbSteps);
    }

    bool stepComplete(char const* phaseName, int32_t step) noexcept override
    {
        int64_t const at = detail::now();
        detail::CancelFlag::State const state = mFlag.answerStep();
        push(detail::EventKind::kSTEP, at, state, phaseName, nullptr, step);
        return !stops(state);
    }

    void phaseFinish(char const* phaseName) noexcept override
    {
        push(detail::EventKind::kFINISH, detail::now(), mFlag.state(), phaseName, nullptr, 0);
    }

    // --- What the program does with it -------------------------------------------------------------------------------

    //! Asks the build to stop at the library's next step: from any thread, and from a signal handler.
    void requestCancel(CancelSource source = CancelSource::kAPI) noexcept
    {
        if (mClaimed.exchange(true))
        {
            return;
        }
        mSource.store(static_cast<int32_t>(source));
        mRequestedAt.store(detail::now());
        mDeferred.store(mFlag.request() == detail::CancelFlag::kWRITING_REQUESTED);
        // The writing thread tells it, at the latest a round from now and before any step that stops.
        mLocalRequest.store(true, std::memory_order_release);
    }

    //! Whether anybody has asked to stop.
    bool cancelRequested() const noexcept
    {
        auto const state = mFlag.state();
        return state != detail::CancelFlag::kIDLE && state != detail::CancelFlag::kWRITING;
    }

    //! Parses an ONNX file with an `nvonnxparser::IParser`, and tells how long it took and what was parsed.
    template <typename Parser>
    bool parse(Parser& parser, char const* path) noexcept
    {
        milestone("parse_begins");
        bool parsed = false;
        try
        {
            std::ifstream file{path, std::ios::binary};
            std::string const model{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
            parsed = file.good() && parser.parse(model.data(), model.size(), path);
            milestone("parse_ends");
            detail::Sha256 hasher;
            hasher.update(model.data(), model.size());
            mModel = "\"source\":" + detail::quoted(path) + ",\"digest\":\"" + detail::hex(hasher.finish())
                + "\",\"bytes\":" + std::to_string(model.size());
        }
        catch (...)
        {
        }
        return parsed;
    }

    //! Makes the build call under this monitor. Null where the library returned no plan, or a cancel came before.
    nvinfer1::IHostMemory* build(nvinfer1::IBuilder& builder, nvinfer1::INetworkDefinition& network,
        nvinfer1::IBuilderConfig& config) noexcept
    {
        describe(builder, network, config);
        if (cancelRequested())
        {
            send("{\"type\":\"done\",\"stoppedOutsideBuild\":true}");
            return nullptr;
        }
        config.setProgressMonitor(this);
        milestone("build_begins");
        nvinfer1::IHostMemory* plan = builder.buildSerializedNetwork(network, config);
        milestone("build_returned");
        return plan;
    }

    //! Tells which network is built, and how the builder is set up where it differs from its defaults.
    void describe(nvinfer1::IBuilder& builder, nvinfer1::INetworkDefinition& network,
        nvinfer1::IBuilderConfig& config) noexcept
    {
        if (!listened())
        {
            return;
        }
        try
        {
            if (!mModel.empty())
            {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // Newer libraries know strong typing only, and keep the name.
                bool const typed = network.getFlag(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
#pragma GCC diagnostic pop
                send("{\"type\":\"network\"," + mModel + ",\"layers\":" + std::to_string(network.getNbLayers())
                    + ",\"inputs\":" + tensors(network.getNbInputs(), [&](int32_t i) { return network.getInput(i); })
                    + ",\"outputs\":" + tensors(network.getNbOutputs(), [&](int32_t i) { return network.getOutput(i); })
                    + ",\"stronglyTyped\":" + (typed ? "true" : "false") + '}');
            }
            send(configJson(builder, config));
        }
        catch (...)
        {
        }
    }

    //! Writes a plan beside its place and renames it when it is whole; a cancel meanwhile waits and is recorded.
    bool save(void const* plan, size_t size, char const* path) noexcept
    {
        mFlag.beginWrite();
        milestone("write_begins");
        bool saved = false;
        try
        {
            saved = write(static_cast<char const*>(plan), size, path);
        }
        catch (...)
        {
        }
        milestone("write_ends");
        mFlag.endWrite();
        if (saved)
        {
            artifact(path, "plan");
        }
        return saved;
    }

    //! Names a file that the program made: "plan", "bundle", "timing_cache" or "other".
    void artifact(char const* path, char const* kind) noexcept
    {
        try
        {
            std::unique_ptr<char, decltype(&std::free)> const whole{realpath(path, nullptr), &std::free};
            send("{\"type\":\"artifact\",\"path\":" + detail::quoted(whole ? whole.get() : path)
                + ",\"kind\":" + detail::quoted(kind) + '}');
        }
        catch (...)
        {
        }
    }

    //! Passes a log line on.
    void log(nvinfer1::ILogger::Severity severity, char const* message) noexcept
    {
        static constexpr char const* kNames[] = {"internal_error", "error", "warning", "info"};
        auto const number = static_cast<size_t>(severity);
        if (!listened() || number >= std::size(kNames))
        {
            return;
        }
        try
        {
            std::string const text{message, strnlen(message, detail::kMessageBytes)};
            send(std::string{"{\"type\":\"log\",\"severity\":\""} + kNames[number] + "\",\"message\":"
                    + detail::quoted(text) + ",\"at\":\"" + std::to_string(detail::now()) + "\"}",
                true);
        }
        catch (...)
        {
        }
    }

    //! Says that a moment is there, and waits (bounded) until it is said: no event of what follows can overtake it.
    void milestone(char const* name) noexcept
    {
        if (!listened())
        {
            return;
        }
        try
        {
            send(std::string{"{\"type\":\"milestone\",\"milestone\":\""} + name + "\",\"at\":\""
                + std::to_string(detail::now()) + "\"}");
            flush();
        }
        catch (...)
        {
        }
    }

    //! Waits a bounded time until everything that was said is sent.
    void flush() noexcept
    {
        try
        {
            std::unique_lock<std::mutex> lock{mMutex};
            uint64_t const wanted = mSaid;
            mWake.notify_all();
            mSent.wait_for(lock, detail::kPatience, [&] { return mTold >= wanted || mBroken.load(); });
        }
        catch (...)
        {
        }
    }

private:
    static bool stops(int32_t state) noexcept
    {
        return state == detail::CancelFlag::kREQUESTED || state == detail::CancelFlag::kACKNOWLEDGED;
    }

    bool listened() const noexcept
    {
        return mSocket.get() >= 0 && !mBroken.load(std::memory_order_relaxed);
    }

    void push(detail::EventKind kind, int64_t at, int32_t state, char const* name, char const* parent,
        int32_t number) noexcept
    {
        if (!listened())
        {
            return;
        }
        mRing->push([&](detail::Event& event) {
            event.kind = kind;
            event.at = at;
            event.cancel = static_cast<uint8_t>(state);
            event.stop = kind == detail::EventKind::kSTEP && stops(state);
            event.number = number;
            event.thread = detail::threadNumber();
            event.name.set(name != nullptr ? name : "");
            event.hasParent = parent != nullptr;
            if (parent != nullptr)
            {
                event.parent.set(parent);
            }
        });
    }

    // --- The way to the supervisor -----------------------------------------------------------------------------------

    void connect()
    {
        char const* path = std::getenv("ACTA_EVENTS");
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path == nullptr || *path == '\0' || std::strlen(path) >= sizeof address.sun_path)
        {
            return;
        }
        std::strcpy(address.sun_path, path);
        int const fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
        {
            return;
        }
        if (::connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
        {
            std::fprintf(stderr, "acta_monitor: no supervisor at %s (%s): nothing is reported\n", path, std::strerror(errno));
            close(fd);
            return;
        }
        // A supervisor that does not read must not hold the program's end for ever.
        timeval const patience{std::chrono::duration_cast<std::chrono::seconds>(detail::kPatience).count(), 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        mRing = std::make_unique<detail::Ring>();
        mSocket.reset(fd);
        send(std::string{"{\"type\":\"hello\",\"protocol\":1,\"language\":\"cpp\",\"client\":\"acta_monitor.hpp "}
            + kVersion + "\",\"pid\":" + std::to_string(getpid()) + '}');
        // Signals are the program's: none of them may come to these threads.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try
        {
            mReader = std::thread{[this] { hear(); }};
            mWriter = std::thread{[this] { tell(); }};
        }
        catch (...)
        {
            mBroken.store(true);
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void send(std::string line, bool isLog = false)
    {
        if (!listened())
        {
            return;
        }
        std::lock_guard<std::mutex> lock{mMutex};
        if (line.size() >= detail::kLineBytes || mMessages.size() >= detail::kMessages)
        {
            ++(isLog ? mLostLines : mLostMessages);
            return;
        }
        mMessages.push_back(std::move(line));
        ++mSaid;
    }

    //! Empties both queues every two milliseconds: what happened before a message is written before it.
    void tell() noexcept
    {
        try
        {
            for (bool closing = false; !closing && !mBroken.load();)
            {
                std::deque<std::string> messages;
                uint64_t said = 0;
                uint64_t lostLines = 0;
                uint64_t lostEvents = 0;
                {
                    std::unique_lock<std::mutex> lock{mMutex};
                    mWake.wait_for(lock, detail::kRound, [&] { return mClosing || mSaid != mTold; });
                    closing = mClosing;
                    messages.swap(mMessages);
                    said = mSaid;
                    std::swap(lostLines, mLostLines);
                    std::swap(lostEvents, mLostMessages);
                }
                std::string out;
                if (mLibraryTries > 0 && !messages.empty())
                {
                    // Hello is the first message. The library follows it, or a later one: it may not be loaded yet.
                    out = messages.front() + '\n' + library();
                    messages.pop_front();
                    mLibraryTries = out.find("\"type\":\"library\"") == std::string::npos ? mLibraryTries - 1 : 0;
                }
                while (mRing->pop([&](detail::Event const& event) { append(out, event); }))
                {
                    if (out.size() >= detail::kLineBytes)
                    {
                        write(out);
                    }
                }
                appendRequest(out);
                for (std::string const& message : messages)
                {
                    out += message + '\n';
                }
                lostEvents += mRing->takeLost();
                if (lostEvents + lostLines > 0)
                {
                    out += "{\"type\":\"lost\",\"events\":" + std::to_string(lostEvents)
                        + ",\"logLines\":" + std::to_string(lostLines) + "}\n";
                }
                if (closing)
                {
                    out += "{\"type\":\"done\"}\n";
                }
                write(out);
                std::lock_guard<std::mutex> lock{mMutex};
                mTold = said;
                mSent.notify_all();
            }
        }
        catch (...)
        {
            mBroken.store(true);
        }
        std::lock_guard<std::mutex> lock{mMutex};
        mSent.notify_all();
    }

    void append(std::string& out, detail::Event const& event)
    {
        if (event.stop)
        {
            appendRequest(out);
        }
        static constexpr char const* kNames[] = {"start", "step", "finish"};
        out += std::string{"{\"type\":\""} + kNames[static_cast<size_t>(event.kind)] + "\",\"name\":" + event.name.json()
            + ",\"at\":\"" + std::to_string(event.at) + "\",\"thread\":" + std::to_string(event.thread)
            + ",\"cancel\":\"" + detail::CancelFlag::name(event.cancel) + '"';
        if (event.kind == detail::EventKind::kSTART)
        {
            out += ",\"parent\":" + (event.hasParent ? event.parent.json() : std::string{"null"})
                + ",\"steps\":" + std::to_string(event.number);
        }
        else if (event.kind == detail::EventKind::kSTEP)
        {
            out += ",\"step\":" + std::to_string(event.number) + ",\"stop\":" + (event.stop ? "true" : "false");
        }
        out += "}\n";
    }

    //! Tells of a request that this process made itself, once. It is claimed before the flag is set, so that a step may
    //! stop an instant before the request is complete: this thread then waits for it.
    void appendRequest(std::string& out)
    {
        if (mRequestTold || !mClaimed.load())
        {
            return;
        }
        while (!mLocalRequest.load(std::memory_order_acquire))
        {
            std::this_thread::yield();
        }
        mRequestTold = true;
        static constexpr char const* kSources[] = {"ctrl_c", "ci", "ide", "service", "api", "event_loop"};
        static constexpr char const* kReasons[]
            = {"Ctrl-C", "a CI deadline", "an editor", "SIGTERM", "the program asked", "the program's event loop"};
        auto const source = static_cast<size_t>(mSource.load());
        std::string const at = "\"at\":\"" + std::to_string(mRequestedAt.load()) + "\"}\n";
        out += std::string{"{\"type\":\"requested\",\"source\":\""} + kSources[source] + "\",\"reason\":\""
            + kReasons[source] + "\"," + at;
        if (mDeferred.load())
        {
            out += "{\"type\":\"deferred\"," + at;
        }
    }

    void write(std::string& out) noexcept
    {
        for (size_t sent = 0; sent < out.size();)
        {
            ssize_t const count = ::send(mSocket.get(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR)
            {
                continue;
            }
            if (count <= 0)
            {
                mBroken.store(true);
                break;
            }
            sent += static_cast<size_t>(count);
        }
        out.clear();
    }

    void hear() noexcept
    {
        std::string line;
        std::array<char, 4096> some{};
        for (;;)
        {
            ssize_t const count = recv(mSocket.get(), some.data(), some.size(), 0);
            if (count < 0 && errno == EINTR)
            {
                continue;
            }
            if (count <= 0)
            {
                return;
            }
            for (ssize_t i = 0; i < count; ++i)
            {
                if (some[i] != '\n' && line.size() < detail::kLineBytes)
                {
                    line += some[i];
                }
                else if (some[i] == '\n')
                {
                    ordered(line);
                    line.clear();
                }
            }
        }
    }

    void ordered(std::string const& line) noexcept
    {
        // The supervisor's orders are flat, and written without spaces.
        if (line.find("\"type\":\"cancel\"") == std::string::npos)
        {
            return;
        }
        int64_t const at = detail::now();
        auto const met = mFlag.request();
        if (met == detail::CancelFlag::kIDLE)
        {
            return;
        }
        try
        {
            char const* word = met == detail::CancelFlag::kREQUESTED ? "delivered" : "deferred";
            send(std::string{"{\"type\":\""} + word + "\",\"at\":\"" + std::to_string(at) + "\"}");
        }
        catch (...)
        {
        }
    }

    // --- What there is to say ----------------------------------------------------------------------------------------

    //! The report of the loaded library, by what the process has mapped and by the library's own word on its version.
    static std::string library()
    {
        struct Family
        {
            char const* name;
            char const* library;
            char const* parser;
        };
        static constexpr Family kFamilies[] = {{"tensorrt_rtx", "/libtensorrt_rtx.so", "/libtensorrt_onnxparser_rtx.so"},
            {"tensorrt", "/libnvinfer.so", "/libnvonnxparser.so"}};
        std::vector<std::string> paths;
        std::ifstream maps{"/proc/self/maps"};
        for (std::string line; std::getline(maps, line);)
        {
            size_t const slash = line.find('/');
            if (slash != std::string::npos)
            {
                paths.push_back(line.substr(slash));
            }
        }
        auto const find = [&](char const* part) {
            for (std::string const& path : paths)
            {
                if (path.find(part) != std::string::npos)
                {
                    return path;
                }
            }
            return std::string{};
        };
        for (Family const& family : kFamilies)
        {
            std::string const path = find(family.library);
            void* loaded = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
            if (loaded == nullptr)
            {
                continue;
            }
            std::string version;
            static constexpr char const* kParts[][2] = {{"getInferLibMajorVersion", "major"},
                {"getInferLibMinorVersion", "minor"}, {"getInferLibPatchVersion", "patch"}, {"getInferLibBuildVersion", "build"}};
            for (auto const& part : kParts)
            {
                void* symbol = dlsym(loaded, part[0]);
                int32_t const number = symbol ? reinterpret_cast<int32_t (*)()>(symbol)() : 0;
                version += std::string{version.empty() ? "" : ","} + '"' + part[1] + "\":" + std::to_string(number);
            }
            dlclose(loaded);
            std::string const parser = find(family.parser);
            return std::string{"{\"type\":\"library\",\"family\":\""} + family.name + "\",\"path\":" + detail::quoted(path)
                + ",\"parserPath\":" + (parser.empty() ? "null" : detail::quoted(parser)) + ",\"version\":{" + version + "}}\n";
        }
        return {};
    }

    template <typename Get>
    static std::string tensors(int32_t count, Get const& get)
    {
        static constexpr char const* kTypes[] = {"float32", "float16", "int8", "int32", "bool", "uint8", "fp8", "bfloat16",
            "int64", "int4", "fp4", "e8m0"};
        std::string json{"["};
        for (int32_t i = 0; i < std::min(count, 64); ++i)
        {
            nvinfer1::ITensor const& tensor = *get(i);
            auto const type = static_cast<size_t>(tensor.getType());
            std::string const name{tensor.getName(), strnlen(tensor.getName(), 256)};
            json += std::string{i == 0 ? "" : ","} + "{\"name\":" + detail::quoted(name) + ",\"dtype\":\""
                + (type < std::size(kTypes) ? kTypes[type] : "type " + std::to_string(type)) + "\",\"dims\":[";
            nvinfer1::Dims const dims = tensor.getDimensions();
            for (int32_t j = 0; j < dims.nbDims; ++j)
            {
                json += std::string{j == 0 ? "" : ","} + std::to_string(dims.d[j]);
            }
            json += "]}";
        }
        return json + ']';
    }

    static std::string configJson(nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config)
    {
        std::unique_ptr<nvinfer1::IBuilderConfig> const fresh{builder.createBuilderConfig()};
        if (!fresh)
        {
            return "{\"type\":\"config\"}";
        }
        uint32_t const on = config.getFlags() & ~fresh->getFlags();
        uint32_t const off = fresh->getFlags() & ~config.getFlags();
        std::string json = "{\"type\":\"config\",\"flagsOn\":" + std::to_string(on) + ",\"flagsOff\":" + std::to_string(off);
        int32_t const level = config.getBuilderOptimizationLevel();
        if (level != fresh->getBuilderOptimizationLevel())
        {
            json += ",\"optimizationLevel\":" + std::to_string(level);
        }
        if (builder.getMaxThreads() != 1)
        {
            json += ",\"threads\":" + std::to_string(builder.getMaxThreads());
        }
#ifdef TRT_MAJOR_RTX
        std::string const targets = targetsOf(config);
        if (targets != targetsOf(*fresh))
        {
            json += ",\"targets\":[" + targets + ']';
        }
#endif
        return json + '}';
    }

#ifdef TRT_MAJOR_RTX
    static std::string targetsOf(nvinfer1::IBuilderConfig const& config)
    {
        std::string targets;
        for (int32_t i = 0; i < config.getNbComputeCapabilities(); ++i)
        {
            targets += std::string{i == 0 ? "" : ","} + std::to_string(static_cast<int32_t>(config.getComputeCapability(i)));
        }
        return targets;
    }
#endif

    static bool write(char const* plan, size_t size, char const* path)
    {
        std::string const whole{path};
        size_t const slash = whole.rfind('/');
        std::string const folder = slash == std::string::npos ? "." : whole.substr(0, slash + 1);
        std::string const name = slash == std::string::npos ? whole : whole.substr(slash + 1);
        std::string const partial = folder + "/." + name + ".acta-partial-" + std::to_string(getpid());
        detail::Descriptor const file{open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
        bool good = file.get() >= 0;
        for (size_t written = 0; good && written < size;)
        {
            ssize_t const count = ::write(file.get(), plan + written, size - written);
            good = count > 0 || (count < 0 && errno == EINTR);
            written += count > 0 ? static_cast<size_t>(count) : 0;
        }
        good = good && fsync(file.get()) == 0 && rename(partial.c_str(), path) == 0;
        if (!good)
        {
            unlink(partial.c_str());
            return false;
        }
        detail::Descriptor const there{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        return there.get() >= 0 && fsync(there.get()) == 0;
    }

    detail::CancelFlag mFlag;
    // A request of this process's own: who and when are there before `mLocalRequest` is set.
    std::atomic<bool> mClaimed{false};
    std::atomic<bool> mLocalRequest{false};
    std::atomic<bool> mDeferred{false};
    std::atomic<int32_t> mSource{0};
    std::atomic<int64_t> mRequestedAt{0};

    detail::Descriptor mSocket;
    std::atomic<bool> mBroken{false};
    std::unique_ptr<detail::Ring> mRing;
    std::string mModel;

    std::mutex mMutex;
    std::condition_variable mWake;
    std::condition_variable mSent;
    std::deque<std::string> mMessages;
    uint64_t mSaid{0};
    uint64_t mTold{0};
    uint64_t mLostLines{0};
    uint64_t mLostMessages{0};
    bool mClosing{false};

    // The writing thread's own.
    int mLibraryTries{32};
    bool mRequestTold{false};

    std::thread mReader;
    std::thread mWriter;
};

//! A logger that passes the library's lines on to the supervisor, and prints those that are grave enough on stderr.
class Logger : public nvinfer1::ILogger
{
public:
    explicit Logger(ProgressMonitor& monitor, Severity printed = Severity::kWARNING) noexcept
        : mMonitor(monitor)
        , mPrinted(printed)
    {
    }

    void log(Severity severity, nvinfer1::AsciiChar const* message) noexcept override
    {
        mMonitor.log(severity, message);
        if (severity <= mPrinted)
        {
            std::fprintf(stderr, "[TRT] %s\n", message);
        }
    }

private:
    ProgressMonitor& mMonitor;
    Severity mPrinted;
};

//! While it lives, Ctrl-C (SIGINT) asks the monitor's build to stop. The handler only writes atomics: it may run inside
//! a callback, and the very next step, or the one that it interrupted before it read the flag, answers "stop".
class InterruptGuard
{
public:
    explicit InterruptGuard(ProgressMonitor& monitor) noexcept
    {
        static_assert(std::atomic<ProgressMonitor*>::is_always_lock_free, "a signal handler reads it");
        target().store(&monitor);
        struct sigaction action{};
        action.sa_handler = &InterruptGuard::interrupted;
        action.sa_flags = SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, nullptr, &mBefore);
        // A program that was started with SIGINT ignored goes on to ignore it.
        mInstalled = mBefore.sa_handler != SIG_IGN && sigaction(SIGINT, &action, nullptr) == 0;
    }

    ~InterruptGuard() noexcept
    {
        if (mInstalled)
        {
            sigaction(SIGINT, &mBefore, nullptr);
        }
        target().store(nullptr);
    }

    InterruptGuard(InterruptGuard const&) = delete;
    InterruptGuard& operator=(InterruptGuard const&) = delete;

private:
    static std::atomic<ProgressMonitor*>& target() noexcept
    {
        static std::atomic<ProgressMonitor*> monitor{nullptr};
        return monitor;
    }

    static void interrupted(int) noexcept
    {
        int const before = errno;
        if (ProgressMonitor* monitor = target().load())
        {
            monitor->requestCancel(CancelSource::kCTRL_C);
        }
        errno = before;
    }

    struct sigaction mBefore{};
    bool mInstalled{false};
};

} // namespace acta

#endif // ACTA_MONITOR_HPP
