import type { lookup } from "node:dns"
import { describe, expect, it } from "vitest"
import { isPublic } from "../../src/plugins/hostapi/addresses.ts"
import { publicOnly } from "../../src/plugins/hostapi/PublicLookup.ts"

describe("an address", () => {
  it.each(["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1"])("%s is public", (address) => {
    expect(isPublic(address)).toBe(true)
  })

  it.each([
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.255.255", "192.168.1.1"],
    ...["198.18.0.1", "224.0.0.1", "255.255.255.255"],
    ...["::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1"],
    // Others that carry 127.0.0.1 in them: compatible, NAT64 (also a network's own), 6to4, Teredo.
    ...["::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::"],
    ...["", "localhost", "127.1", "999.1.1.1"],
  ])("%j is not public", (address) => {
    expect(isPublic(address)).toBe(false)
  })
})

describe("a server at a URL", () => {
  /** A name that leads to these addresses. */
  const leadsTo = (...addresses: ReadonlyArray<string>) =>
    ((_name: string, _options: object, callback: (error: null, all: ReadonlyArray<object>) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )) as unknown as typeof lookup

  const connecting = (granted: ReadonlyArray<string>, ...addresses: ReadonlyArray<string>) =>
    new Promise((resolve) =>
      publicOnly(leadsTo(...addresses), { granted, advice: "grant it" })(
        "mcp.example.com",
        { all: true },
        (error, found) => resolve(error === null ? found : error.message),
      ),
    )

  it("is not reached by a name that leads to a private network, unless the address is granted", async () => {
    const refused = "expected an address of the public network, found 169.254.169.254 for mcp.example.com: grant it"
    expect(await connecting([], "1.1.1.1", "169.254.169.254")).toContain(refused)
    expect(await connecting(["mcp.example.com", "10.0.0.1"], "169.254.169.254")).toContain(refused)
    expect(await connecting(["169.254.169.254"], "169.254.169.254")).toEqual([
      { address: "169.254.169.254", family: 4 },
    ])
    expect(await connecting([], "1.1.1.1")).toEqual([{ address: "1.1.1.1", family: 4 }])
  })
})
