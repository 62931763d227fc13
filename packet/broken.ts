/** A part that cannot be read, or that differs from what its source says about it. The message says how. */
export class SourceBroken extends Error {}
