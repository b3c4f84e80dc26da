// The runtime's calls about streams and events.
#include <string>

#include "formats/error.h"
#include "sim/host/acl/acl.h"
#include "sim/host/acl_calls.h"
#include "sim/host/program.h"

namespace tilesim::host {
namespace {

constexpr const char* kNoStream = "the stream is none that aclrtCreateStream gave, or was destroyed";
constexpr const char* kNoEvent = "the event is none that aclrtCreateEvent gave, or was destroyed";
constexpr const char* kWaitsForEver =
    "the stream waits for an event that nobody has recorded, so this would wait for ever";

aclError NewStream(const Call& call, aclrtStream* stream) {
  if (stream == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  *stream = call.streams().Create(CurrentContext());
  return ACL_SUCCESS;
}

aclError EndStream(const Call& call, aclrtStream handle) {
  Stream* const stream = call.streams().Find(handle);
  if (stream == nullptr || handle == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, kNoStream);
  }
  if (!stream->waiting.empty()) {
    return call.Refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kWaitsForEver);
  }
  call.streams().Settle(*stream);
  call.streams().HostKnows(*stream);
  call.streams().Destroy(stream);
  return ACL_SUCCESS;
}

aclError SynchroniseOne(const Call& call, aclrtStream handle) {
  Stream* const stream = call.streams().Find(handle);
  if (stream == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, kNoStream);
  }
  return call.streams().Synchronise(*stream) ? stream->code
                                             : call.Refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kWaitsForEver);
}

aclError SynchroniseAllOf(const Call& call) {
  return call.streams().SynchroniseAll() ? call.streams().AnyCode()
                                         : call.Refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kWaitsForEver);
}

aclError NewEvent(const Call& call, aclrtEvent* event) {
  if (event == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  *event = call.streams().CreateEvent();
  return ACL_SUCCESS;
}

// f(stream, event) where both are there.
template <class F>
aclError OnStream(const Call& call, aclrtEvent event, aclrtStream stream, F&& f) {
  Event* const known = call.streams().FindEvent(event);
  Stream* const on = call.streams().Find(stream);
  if (known == nullptr || on == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, known == nullptr ? kNoEvent : kNoStream);
  }
  f(*on, known);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace tilesim::host

using tilesim::host::Call;
using tilesim::host::Event;
using tilesim::host::Stream;

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  return tilesim::host::NewStream(Call("aclrtCreateStream"), stream);
}
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/, uint32_t /*flag*/) {
  return tilesim::host::NewStream(Call("aclrtCreateStreamWithConfig"), stream);
}
aclError aclrtDestroyStream(aclrtStream stream) {
  return tilesim::host::EndStream(Call("aclrtDestroyStream"), stream);
}
aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return tilesim::host::EndStream(Call("aclrtDestroyStreamForce"), stream);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  const Call call("aclrtStreamQuery");
  const Stream* const known = call.streams().Find(stream);
  if (known == nullptr || status == nullptr) {
    return call.Refuse(known == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_ERROR_RT_PARAM_INVALID,
                       known == nullptr ? tilesim::host::kNoStream : "a null pointer for the result");
  }
  if (known->waiting.empty()) {
    call.streams().HostKnows(*known);
  }
  *status = known->waiting.empty() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return tilesim::host::SynchroniseOne(Call("aclrtSynchronizeStream"), stream);
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t /*timeout*/) {
  return tilesim::host::SynchroniseOne(Call("aclrtSynchronizeStreamWithTimeout"), stream);
}
aclError aclrtSynchronizeDevice() { return tilesim::host::SynchroniseAllOf(Call("aclrtSynchronizeDevice")); }
aclError aclrtSynchronizeDeviceWithTimeout(int32_t /*timeout*/) {
  return tilesim::host::SynchroniseAllOf(Call("aclrtSynchronizeDeviceWithTimeout"));
}

aclError aclrtCreateEvent(aclrtEvent* event) {
  return tilesim::host::NewEvent(Call("aclrtCreateEvent"), event);
}
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
  return tilesim::host::NewEvent(Call("aclrtCreateEventWithFlag"), event);
}
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
  return tilesim::host::NewEvent(Call("aclrtCreateEventExWithFlag"), event);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  const Call call("aclrtDestroyEvent");
  Event* const known = call.streams().FindEvent(event);
  if (known == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, tilesim::host::kNoEvent);
  }
  return call.streams().DestroyEvent(known)
             ? ACL_SUCCESS
             : call.Refuse(ACL_ERROR_RT_PARAM_INVALID,
                           "a stream waits for the event, and nobody has recorded it");
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  const Call call("aclrtRecordEvent");
  return tilesim::host::OnStream(call, event, stream,
                                 [&](Stream& on, Event* known) { call.streams().Record(on, known); });
}
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  const Call call("aclrtResetEvent");
  return tilesim::host::OnStream(call, event, stream,
                                 [&](Stream& on, Event* known) { call.streams().Reset(on, known); });
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  const Call call("aclrtStreamWaitEvent");
  return tilesim::host::OnStream(call, event, stream,
                                 [&](Stream& on, Event* known) { call.streams().Wait(on, known); });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  const Call call("aclrtSynchronizeEvent");
  const Event* const known = call.streams().FindEvent(event);
  if (known == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, tilesim::host::kNoEvent);
  }
  if (!known->recorded) {
    return call.Refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                       "nobody has recorded the event, so this would wait for ever");
  }
  call.streams().HostWaits(known->at_us);
  call.streams().HostKnows(known->order);
  if (known->by != nullptr) {
    call.streams().Settle(*known->by);
  }
  return known->code;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  const Call call("aclrtQueryEvent");
  const Event* const known = call.streams().FindEvent(event);
  if (known == nullptr || status == nullptr) {
    return call.Refuse(known == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_ERROR_RT_PARAM_INVALID,
                       known == nullptr ? tilesim::host::kNoEvent : "a null pointer for the result");
  }
  if (known->recorded) {
    call.streams().HostKnows(known->order);
  }
  *status = known->recorded ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  const Call call("aclrtQueryEventStatus");
  const Event* const known = call.streams().FindEvent(event);
  if (known == nullptr || status == nullptr) {
    return call.Refuse(known == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_ERROR_RT_PARAM_INVALID,
                       known == nullptr ? tilesim::host::kNoEvent : "a null pointer for the result");
  }
  if (known->recorded) {
    call.streams().HostKnows(known->order);
  }
  *status = known->recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  const Call call("aclrtEventElapsedTime");
  const Event* const start = call.streams().FindEvent(startEvent);
  const Event* const end = call.streams().FindEvent(endEvent);
  if (start == nullptr || end == nullptr || ms == nullptr) {
    return call.Refuse(ms == nullptr ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_INVALID_HANDLE,
                       ms == nullptr ? "a null pointer for the result" : tilesim::host::kNoEvent);
  }
  if (!start->recorded || !end->recorded) {
    return call.Refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                       "an event was not recorded; call aclrtRecordEvent for both, and synchronise");
  }
  *ms = static_cast<float>((end->at_us - start->at_us) / 1000);
  return ACL_SUCCESS;
}

}  // extern "C"
