/** Preloaded with --expose-gc: collects garbage every second, so that heap usage approximates live data. */
setInterval(() => globalThis.gc?.(), 1_000).unref()
