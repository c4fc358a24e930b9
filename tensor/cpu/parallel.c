/*
 * parallel.c - threads of the session's own for large operations. They see plain data only, start at the first large operation
 * and sleep in between. The caller works along; between chunks everybody looks for an interrupt.
 */
#include "tensor/impl.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct Job {
    void  (*body)(void *data, int64_t begin, int64_t end);
    void   *data;
    int64_t n, chunk;
    atomic_llong next;
    volatile int *interrupted;
} Job;

static void work(Job *job)
{
    for (;;) {
        int64_t begin = atomic_fetch_add(&job->next, job->chunk);
        if (begin >= job->n || (job->interrupted && *job->interrupted))
            return;
        job->body(job->data, begin, begin + job->chunk < job->n ? begin + job->chunk : job->n);
    }
}

static void *work_on_thread(void *job)
{
    work(job);
    return NULL;
}

bool parallel_for(Context *ctx, int64_t n, int64_t grain, void (*body)(void *data, int64_t begin, int64_t end), void *data, Err *err)
{
    enum { CHUNKS_ON_THREADS = 16, THREADS_MAX = 16 };
    Job job = { body, data, n, grain > 0 ? grain : 1, 0, ctx->interrupted };
    pthread_t thread[THREADS_MAX];
    int started = 0, wanted = ctx->threads ? ctx->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (n / job.chunk >= CHUNKS_ON_THREADS)             /* otherwise the work is over before a thread would wake */
        for (int k = 0; k + 1 < wanted && k < THREADS_MAX; k++) {
            if (pthread_create(&thread[started], NULL, work_on_thread, &job))
                break;
            started++;
        }
    work(&job);
    while (started)
        pthread_join(thread[--started], NULL);
    return !interrupted(ctx, err);
}
