/** A certificate authority for one run. Its key never leaves this process's memory. */

import { generateKeyPair } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"
import { promisify } from "node:util"
import type { Environment } from "./Families.ts"
import * as Roots from "./Roots.ts"

/** Issues a certificate for any host. */
export interface Authority {
  /** Its own certificate, in PEM. */
  readonly certificate: string
  readonly certified: (host: string) => { readonly key: string; readonly cert: string }
  readonly contextFor: (host: string) => tls.SecureContext
}

/** Validity in days, one of them in the past. Some clients refuse certificates of more than 397 days. */
const VALID_DAYS = 30

const NAME = "Hindcast, for one recording"

/** Creates an authority. All hosts share one key. */
export const make = async (): Promise<Authority> => {
  const { default: forge } = await import("node-forge")
  const newKey = async () => {
    const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 })
    return forge.pki.privateKeyFromPem(privateKey.export({ type: "pkcs1", format: "pem" }).toString())
  }
  const [own, hosts] = await Promise.all([newKey(), newKey()])
  const publicOf = (key: typeof own) => forge.pki.setRsaPublicKey(key.n, key.e)
  const issuer = [{ name: "commonName", value: NAME }]
  const signed = (subject: string, key: typeof own, extensions: Array<object>): string => {
    const certificate = forge.pki.createCertificate()
    certificate.publicKey = publicOf(key)
    certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`
    const { notBefore, notAfter } = certificate.validity
    notBefore.setDate(notBefore.getDate() - 1)
    notAfter.setTime(notBefore.getTime() + VALID_DAYS * 86_400_000)
    // A common name has at most 64 characters; the extension has the full name.
    certificate.setSubject([{ name: "commonName", value: subject.slice(0, 64) }])
    certificate.setIssuer(issuer)
    certificate.setExtensions(extensions)
    certificate.sign(own, forge.md.sha256.create())
    return forge.pki.certificateToPem(certificate)
  }
  const ownId = { name: "subjectKeyIdentifier" }
  const certificate = signed(NAME, own, [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ownId,
  ])
  const authorityId = {
    name: "authorityKeyIdentifier",
    keyIdentifier: forge.pki.getPublicKeyFingerprint(publicOf(own), { type: "RSAPublicKey" }).getBytes(),
  }
  const key = forge.pki.privateKeyToPem(hosts)
  const contexts = new Map<string, tls.SecureContext>()
  const certified: Authority["certified"] = (host) => {
    const cert = signed(host, hosts, [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: [net.isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host }] },
      ...[ownId, authorityId],
    ])
    return { key, cert }
  }
  return {
    certificate,
    certified,
    contextFor: (host) => {
      const context = contexts.get(host) ?? tls.createSecureContext(certified(host))
      contexts.set(host, context)
      return context
    },
  }
}

/**
 * Writes a bundle of this authority, Node's roots and the certificates that the environment names. Returns the
 * variables that make a program trust it.
 */
export const trusted = (file: string, { certificate }: Authority, env: Environment): { [name: string]: string } => {
  fs.writeFileSync(file, `${certificate}\n${Roots.all(env)}`)
  return Object.fromEntries(Roots.VARIABLES.map((name) => [name, file]))
}
