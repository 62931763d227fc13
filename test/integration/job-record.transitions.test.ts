import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords, finishedChannel, type JobProgress, type NewJob } from '../../shared/jobs/record.ts'
import { recordKey, secretKeyOf } from '../../shared/jobs/record.ts'
import { createReport } from '../../shared/publish/report.ts'

const redisUrl = inject('stack').redis.url.replace(/(:\d+)?\/\d*$/, '$1')
const redis = new Redis(`${redisUrl}/5`)
const records = createJobRecords(redis)
afterAll(() => redis.quit())
