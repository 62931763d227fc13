import { openMemoryStore } from '../support/storage/memory-store.ts'
import { objectStoreListingContract } from './object-store-listing.ts'

objectStoreListingContract('the object store in memory that tests use', openMemoryStore())
