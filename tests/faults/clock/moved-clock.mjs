// Loaded by --import before one of our real processes: its own clock, and nothing else of it, goes wrong by
// MOVED_CLOCK_SECONDS. Timers and the monotonic clock run as always.
const by = Number(process.env.MOVED_CLOCK_SECONDS) * 1_000;
const RealDate = Date;
const realNow = RealDate.now;

globalThis.Date = new Proxy(RealDate, {
  construct(target, values, newTarget) {
    return Reflect.construct(target, values.length > 0 ? values : [realNow() + by], newTarget);
  },
  apply: (target) => new target(realNow() + by).toString(),
});
RealDate.now = () => realNow() + by;
RealDate.prototype.constructor = globalThis.Date;
