/** Writes a digest that `hash` gave as `binary`. For so few bytes this is faster than to call the engine. */
export function writeDigest(digest: string, into: Buffer, at = 0, bytes = digest.length): void {
  for (let place = 0; place < bytes; place++) into[at + place] = digest.charCodeAt(place)
}
