/** Loaded into a process before its program, with --expose-gc: what its heap holds is what is in use. */
setInterval(() => globalThis.gc?.(), 1_000).unref()
