/** Certificates that a program's environment tells it to trust in addition to Node's. */

import * as fs from "node:fs"
import * as tls from "node:tls"
import type { Environment } from "./Families.ts"

/** Variables in which clients look for trusted certificates. */
export const VARIABLES = [
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"],
  ...["GIT_SSL_CAINFO", "PIP_CERT", "DENO_CERT", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"],
]

const SYSTEM = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]

const textsOf = (env: Environment, others: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const named = VARIABLES.flatMap((name) => env[name] || [])
  const files = [...new Set([...named, ...others])].filter((name) => fs.existsSync(name) && fs.statSync(name).isFile())
  return files.map((name) => fs.readFileSync(name, "utf8"))
}

/** Everything that a program may trust, in PEM: the roots of Node, of the system, and of its variables. */
export const all = (env: Environment): string => [...tls.rootCertificates, ...textsOf(env, SYSTEM)].join("\n")

/**
 * The roots that a request on behalf of a program trusts: Node's roots and those that its variables name. Undefined if
 * they name none, for Node's default.
 */
export const trustedBy = (env: Environment): ReadonlyArray<string> | undefined => {
  const texts = textsOf(env)
  return texts.length === 0 ? undefined : [...tls.rootCertificates, ...texts]
}
