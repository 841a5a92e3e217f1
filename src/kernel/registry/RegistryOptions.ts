/** The options of the registry and of an import. */
import { Schema } from "effect"
import { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import * as Options from "../../values/Options.ts"

/** Options of an import. */
export interface ImportOptions {
  /** Accept common mistakes in manifests, with a warning each. Default: false. */
  readonly lenient?: boolean
  /** Permissions to grant, in addition to the automatic ones. */
  readonly grants?: GrantedPermissions
  /** Give changed code the installed code's grants by name. Default: false. */
  readonly keepGrants?: boolean
  /** Activate the plugin. Default: true. */
  readonly activate?: boolean
}

/** Schema of `ImportOptions`. */
export const ImportOptions = Options.of<ImportOptions>({
  optional: {
    lenient: Schema.Boolean,
    grants: GrantedPermissions,
    keepGrants: Schema.Boolean,
    activate: Schema.Boolean,
  },
})

/** Where a registry keeps plugins' copies, and who changes it. */
export interface RegistryOptions {
  /** The directory of plugins' copies, next to the log. */
  readonly directory: string
  /** The workspace: `"."` in permissions. */
  readonly workspace: string
  /** The actor of changes, such as `human:ada`. Default: `kernel`. */
  readonly actor?: string
}

/** Schema of `RegistryOptions`. */
export const RegistryOptions = Options.of<RegistryOptions>({
  required: { directory: Options.Path, workspace: Options.Path },
  optional: { actor: Options.Name },
})
