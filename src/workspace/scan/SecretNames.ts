/** Names of files that usually hold secrets. Pure. */

/** Whether a file with this path probably holds secrets. */
export const isSecret = (path: string): boolean => {
  const [name = path] = path.split("/").slice(-1)
  return !EXAMPLE.test(name) && NAMES.some((pattern) => pattern.test(name) || pattern.test(path))
}

/** Templates that are made to be shared. */
const EXAMPLE = /^\.env\.(?:example|sample|template|dist|defaults?)$/i

const NAMES: ReadonlyArray<RegExp> = [
  /^\.env(?:\.|$)/i,
  /\.env$/i,
  /^\.?(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|envrc|dockercfg|vault-token)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|gpg|asc)$/i,
  /^(?:client_secret|service[-_]?account|credentials)[\w.-]*\.json$/i,
  /^secrets?\.(?:json|ya?ml|toml|ini)$/i,
  /(?:^|\/)\.(?:aws|gcloud|azure|docker|kube)\/(?:credentials|config|config\.json)$/i,
  /\.tfstate(?:\.backup)?$/i,
]
