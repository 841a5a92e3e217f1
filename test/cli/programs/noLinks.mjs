/** Loaded before a program: it finds itself on a disk that knows no hard links, as FAT is to Linux. */
import * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const refusal = () =>
  Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM", syscall: "link" })

fs.default.linkSync = () => {
  throw refusal()
}
fs.default.promises.link = () => Promise.reject(refusal())
syncBuiltinESMExports()
