/** The certificates that a program's environment names, which it trusts besides those of Node. */

import * as fs from "node:fs"
import * as tls from "node:tls"
import type { Environment } from "./Families.ts"

/** The variables by which clients find the certificates that they trust. */
export const VARIABLES = [
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"],
  ...["GIT_SSL_CAINFO", "PIP_CERT", "DENO_CERT", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"],
]

/** Where systems keep their roots, in one file. */
const SYSTEM = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]

/** The certificates in the files that variables name, and in some others. */
const textsOf = (env: Environment, others: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const named = VARIABLES.flatMap((name) => env[name] || [])
  const files = [...new Set([...named, ...others])].filter((name) => fs.existsSync(name) && fs.statSync(name).isFile())
  return files.map((name) => fs.readFileSync(name, "utf8"))
}

/** All that a program may trust, as PEM: the roots that Node has, those of the system, and those that variables name. */
export const all = (env: Environment): string => [...tls.rootCertificates, ...textsOf(env, SYSTEM)].join("\n")

/**
 * What a request for a program is to trust: what its variables name counts for it, whichever language it is in. Undefined where they name
 * nothing: Node's own then.
 */
export const trustedBy = (env: Environment): ReadonlyArray<string> | undefined => {
  const texts = textsOf(env)
  return texts.length === 0 ? undefined : [...tls.rootCertificates, ...texts]
}
