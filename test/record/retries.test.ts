import { describe, expect, it } from "vitest"
import * as HttpMessage from "../../src/record/http/HttpMessage.ts"
import * as Redaction from "../../src/record/http/Redaction.ts"
import * as Retries from "../../src/record/http/Retries.ts"

const request = (body: object, path = "/v1/messages") =>
  HttpMessage.read(
    { method: "POST", url: `https://api.example.com${path}`, headers: new Headers(), body: JSON.stringify(body) },
    Redaction.make(),
  )

describe("attempts of one call", () => {
  it("have one body, follow a failure, and name the first", () => {
    const attempts = Retries.make(() => 0)
    const hello = request({ model: "m", messages: ["hello"] })
    expect(attempts.asked(hello)).toBeUndefined()
    attempts.failed("1", hello, undefined)
    expect(attempts.asked(request({ model: "m", messages: ["other"] }))).toBeUndefined()
    expect(attempts.asked(request({ messages: ["hello"], model: "m" }))).toBe("1")
    attempts.failed("2", hello, "1")
    expect(attempts.asked(hello)).toBe("1")
    // The third succeeded: the same question is another call.
    expect(attempts.asked(hello)).toBeUndefined()
  })

  it("may be asked as a whole after a stream that broke off, and not of another path", () => {
    const attempts = Retries.make(() => 0)
    const streamed = request({ model: "m", messages: ["hello"], stream: true, stream_options: { include_usage: true } })
    attempts.failed("1", streamed, undefined)
    expect(
      attempts.asked(request({ model: "m", messages: ["hello"], stream: false }, "/v1/messages/count")),
    ).toBeUndefined()
    expect(attempts.asked(request({ model: "m", messages: ["hello"], stream: false }))).toBe("1")
  })

  it("of calls that fail at once are told apart by their number, and end after a time", () => {
    let now = 0
    const attempts = Retries.make(() => now)
    const hello = request({ messages: ["hello"] })
    attempts.failed("1", hello, undefined)
    attempts.failed("2", hello, undefined)
    expect([attempts.asked(hello), attempts.asked(hello), attempts.asked(hello)]).toEqual(["1", "2", undefined])
    attempts.failed("3", hello, undefined)
    now = 150_001
    expect(attempts.asked(hello)).toBeUndefined()
  })
})
