import { inject } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import { objectStoreContract } from './object-store.ts'
import { objectStoreEtagContract } from './object-store-etags.ts'
import { objectStoreListingContract } from './object-store-listing.ts'

const { storage } = readConfig('worker', inject('service').env)

objectStoreContract('the object store of an S3 server', (settings) =>
  openMinioStore({ ...storage, bucket: 'contract', ...settings }),
)

objectStoreListingContract('the object store of an S3 server', openMinioStore({ ...storage, bucket: 'contract' }))

objectStoreEtagContract('the object store of an S3 server', openMinioStore({ ...storage, bucket: 'contract' }))
