import { builtIn, providerContract } from "./contract.ts"
import { pluginSubject } from "./pluginSubject.ts"
import { names } from "./servers.ts"

for (const subject of [...names.map(builtIn), pluginSubject]) providerContract(subject)
