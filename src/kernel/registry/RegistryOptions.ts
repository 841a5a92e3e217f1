/** Options of the registry, and of one import. */
import { Schema } from "effect"
import { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import * as Options from "../../values/Options.ts"

/** How a plugin is imported. */
export interface ImportOptions {
  /** Accept what real manifests in the wild have, with a warning each. Default: false. */
  readonly lenient?: boolean
  /** What the person who imports grants beyond what needs no grant. */
  readonly grants?: GrantedPermissions
  /** Whether it takes part at once. Default: true. */
  readonly activate?: boolean
}

/** Their schema. */
export const ImportOptions = Options.of<ImportOptions>({
  optional: { lenient: Schema.Boolean, grants: GrantedPermissions, activate: Schema.Boolean },
})

export interface RegistryOptions {
  /** Where copies of plugins are kept: a directory beside the log. */
  readonly directory: string
  /** The workspace that `"."` in permissions speaks of. */
  readonly workspace: string
  /** Who makes the changes, such as `human:ada`. Default: `kernel`. */
  readonly actor?: string
}

/** Their schema. */
export const RegistryOptions = Options.of<RegistryOptions>({
  required: { directory: Options.Path, workspace: Options.Path },
  optional: { actor: Options.Name },
})
