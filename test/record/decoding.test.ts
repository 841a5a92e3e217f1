/** What a proxy records of a body that comes encoded. */

import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import * as Decoding from "../../src/record/http/Decoding.ts"

const recorded = async (...pieces: ReadonlyArray<Uint8Array>) => {
  let text = ""
  let end: string | undefined
  const body = Decoding.decoding("gzip", {
    took: (piece) => {
      text += Buffer.from(piece).toString()
    },
    ended: async (how) => {
      end = how
    },
  })
  for (const piece of pieces) body.took(piece)
  await body.ended("clean")
  return { text, end }
}

it("records a body that is not in its encoding as broken off", async () => {
  expect(await recorded(Buffer.from('{"not":"gzip"}'))).toEqual({ text: "", end: "cut" })
})

it("records a body that is damaged further on as broken off", async () => {
  const whole = gzipSync("a whole answer")
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, damaged.length - 8)
  expect((await recorded(damaged)).end).toBe("cut")
  expect(await recorded(whole.subarray(0, 12), whole.subarray(12))).toEqual({ text: "a whole answer", end: "clean" })
})

it("decodes no request of a few kilobytes that stands for more than can be held", async () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024))
  expect(bomb.byteLength).toBeLessThan(100_000)
  expect(await Decoding.decodedBody("gzip", bomb)).toBe(bomb)
  const small = gzipSync("a request")
  expect(Buffer.from(await Decoding.decodedBody("gzip", small)).toString()).toBe("a request")
})

it("reads a body that ends within its encoding as far as it came, and says that it ended early", async () => {
  const text = Array.from({ length: 500 }, (_, index) => (index * 7919) % 1000).join()
  const whole = gzipSync(text)
  const half = whole.subarray(0, whole.byteLength >> 1)
  const read = await recorded(half.subarray(0, 50), half.subarray(50))
  expect(read.end).toBe("unfinished")
  expect(text.startsWith(read.text)).toBe(true)
  expect(read.text.length).toBeGreaterThan(text.length / 3)
  const sent = await Decoding.decodedBody("gzip", half)
  expect(Buffer.from(sent).toString()).toBe(read.text)
})
