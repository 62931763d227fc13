import type { Endpoint } from './http/endpoint.ts'
import { cancelJob } from './jobs/cancel-job.ts'
import { getJob } from './jobs/get-job.ts'
import { jobEvents } from './jobs/job-events.ts'
import { jobResult } from './jobs/job-result.ts'
import { jobSlices } from './jobs/job-slices.ts'
import { jobsSummary } from './jobs/jobs-summary.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { sendCallback } from './jobs/send-callback.ts'
import { constraints } from './manager/constraints.ts'
import { managerVersions } from './manager/manager-versions.ts'
import { managers } from './manager/managers.ts'
import { nodeTypes } from './manager/node-types.ts'
import { properties } from './manager/properties.ts'
import { propertyImpls } from './manager/property-impls.ts'
import { managerStatus } from './manager/status.ts'
import { transfer } from './manager/transfer.ts'
import { createMulti } from './publish/create-multi.ts'
import { createOrganization } from './publish/create-organization.ts'
import { createPacket } from './publish/create-packet.ts'
import { createRelationships } from './publish/create-relationships.ts'
import { deleteNodes } from './publish/delete-nodes.ts'
import { fileUrl } from './publish/file-url.ts'
import { findFiles } from './publish/find-files.ts'
import { findMentions } from './publish/find-mentions.ts'
import { listFiles } from './publish/list-files.ts'
import { findOriginNames } from './publish/origin-names.ts'
import { packetManifest } from './publish/packet-manifest.ts'
import { readFile } from './publish/read-file.ts'
import { removeFile } from './publish/remove-file.ts'
import { status } from './publish/status.ts'
import { customIndexPolicy, customIndexPolicyByExample } from './search/custom-index-policy.ts'
import { directIndexPolicy } from './search/direct-index-policy.ts'
import { listOrgs } from './service/list-orgs.ts'
import { overview } from './service/overview.ts'
import { pause, resume } from './service/pause.ts'
import { whoami } from './service/whoami.ts'

/** All endpoints, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  status,
  createPacket,
  createMulti,
  createOrganization,
  readFile,
  fileUrl,
  packetManifest,
  listFiles,
  findFiles,
  deleteNodes,
  createRelationships,
  removeFile,
  findMentions,
  findOriginNames,
  managerStatus,
  ...managers,
  ...managerVersions,
  ...properties,
  ...propertyImpls,
  ...nodeTypes,
  ...constraints,
  ...transfer,
  directIndexPolicy,
  customIndexPolicyByExample,
  customIndexPolicy,
  listJobs,
  jobsSummary,
  getJob,
  jobEvents,
  jobSlices,
  jobResult,
  cancelJob,
  sendCallback,
  whoami,
  listOrgs,
  overview,
  pause,
  resume,
]
