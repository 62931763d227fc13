/** What the service accepts and answers, by its own schemas. Imports only types, so no code of the API runs here. */
import type { z } from 'zod'
import type { fileListBody } from '../api/http/openapi-schemas.ts'
import type { exported } from '../api/manager/version-document.ts'
import type { manifestBody } from '../api/publish/packet-manifest.ts'
import type { overviewBody } from '../api/service/overview.ts'
import type { whoamiBody } from '../api/service/whoami.ts'
import type { dryRunBody } from '../api/unstored/dry-run-body.ts'
import type { jobSchema, modelReport } from '../shared/jobs/job-view.ts'
import type { publishRequest } from '../shared/request/fields.ts'

export type DryRun = z.infer<typeof dryRunBody>
export type FileList = z.infer<typeof fileListBody>
export type Job = z.infer<typeof jobSchema>
export type Model = z.infer<typeof exported>
export type ModelReport = z.infer<typeof modelReport>
export type Overview = z.infer<typeof overviewBody>
export type PacketManifest = z.infer<typeof manifestBody>
export type PublishRequest = z.input<typeof publishRequest>
export type WhoAmI = z.infer<typeof whoamiBody>
