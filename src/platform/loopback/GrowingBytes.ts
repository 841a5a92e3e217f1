/**
 * Bytes that arrive in chunks of any size, in one buffer. To add n chunks copies each byte a constant number of times, and
 * many small chunks take no more memory than their bytes.
 */

/** Larger buffers are not kept when they are empty. */
const KEPT_BYTES = 64 * 1024

export class GrowingBytes {
  #buffer = Buffer.alloc(0)
  #start = 0
  #end = 0

  /** The bytes that were added and not dropped. Valid until the next call of `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  append(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length)
    chunk.copy(this.#buffer, this.#end)
    this.#end += chunk.length
  }

  /** Drops bytes from the beginning. */
  drop(count: number): void {
    this.#start += count
    if (this.#start < this.#end) return
    this.#start = 0
    this.#end = 0
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.alloc(0)
  }

  #makeRoom(more: number): void {
    const held = this.bytes
    const wanted = held.length + more
    // Moves at most half of the buffer, after at least half of it was added.
    const target = wanted * 2 <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafeSlow(wanted * 2)
    held.copy(target)
    this.#buffer = target
    this.#start = 0
    this.#end = held.length
  }
}
