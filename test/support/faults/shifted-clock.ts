/** Preloaded into a process: shifts its clock by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS)
const realNow = Date.now

Date.now = () => realNow() + shiftMs
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
  apply: () => new Date().toString(),
})
