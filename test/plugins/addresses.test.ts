import { describe, expect, it } from "vitest"
import { isPublic } from "../../src/plugins/hostapi/addresses.ts"

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
