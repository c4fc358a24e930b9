/*
 * parallel.c - threads of the session's own for large operations. They see plain data only, start at the first large operation,
 * look out for the next one for some microseconds after each, and sleep otherwise. The caller works along; between chunks everybody
 * looks for an interrupt.
 */
#include "tensor/impl.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CHUNKS_ON_THREADS = 4, THREADS_MAX = 64,            /* with fewer chunks the work is over before a thread has begun */
    LOOKS = 3000                                        /* how often a thread looks for work before it sleeps: some 50 microseconds */
};

typedef struct Job {
    void  (*body)(void *data, int64_t begin, int64_t end);
    void   *data;
    int64_t n, chunk;
    atomic_llong next;                  /* where the next chunk begins */
    volatile int *interrupted;          /* may be NULL */
} Job;

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t  wake, done;
    Job            *job;                /* lies on the caller's stack; NULL in between */
    atomic_uint     turn;               /* counts jobs, so that a thread takes each one once */
    atomic_int      busy;               /* threads that work on the job */
    int             asleep, threads;
    atomic_bool     closing;
    pthread_t       thread[THREADS_MAX];
};

static void work(Job *job)
{
    for (;;) {
        int64_t begin = atomic_fetch_add(&job->next, job->chunk);
        if (begin >= job->n || (job->interrupted && *job->interrupted))
            return;
        job->body(job->data, begin, begin + job->chunk < job->n ? begin + job->chunk : job->n);
    }
}

/* A hint to the processor that this is a loop that waits. */
static inline void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void *pool_thread(void *self)
{
    Pool *pool = self;
    unsigned seen = 0, last = 0;        /* the job that was worked on last; the last that was there */
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        if (!pool->job || pool->turn == seen) {
            pthread_mutex_unlock(&pool->lock);
            for (int k = 0; k < LOOKS && pool->turn == last && !pool->closing; k++)
                pause_briefly();
            pthread_mutex_lock(&pool->lock);
            if (pool->turn == last && !pool->closing) {
                pool->asleep++;
                pthread_cond_wait(&pool->wake, &pool->lock);
                pool->asleep--;
            }
            last = pool->turn;
            continue;
        }
        Job *job = pool->job;
        seen = last = pool->turn;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        work(job);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Starts the threads beside the caller's; NULL where there is none to start: the caller then works alone. */
static Pool *pool_new(int threads)
{
    Pool *pool = threads > 1 ? calloc(1, sizeof *pool) : NULL;
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    sigset_t all, before;               /* signals are the interpreter thread's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->threads + 1 < threads && pool->threads < THREADS_MAX &&
           pthread_create(&pool->thread[pool->threads], NULL, pool_thread, pool) == 0)
        pool->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool;
}

static void pool_free(Pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->threads; k++)
        pthread_join(pool->thread[k], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    free(pool);
}

static void pool_run(Pool *pool, Job *job)
{
    pthread_mutex_lock(&pool->lock);
    pool->job = job;
    pool->turn++;
    if (pool->asleep)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    work(job);
    pthread_mutex_lock(&pool->lock);
    pool->job = NULL;                   /* a thread that wakes only now finds nothing to do */
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < LOOKS && pool->busy; k++)
        pause_briefly();
    pthread_mutex_lock(&pool->lock);
    while (pool->busy)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

int parallel_threads(Context *ctx)
{
    if (!ctx->threads)
        ctx->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return ctx->threads < 1 ? 1 : ctx->threads < THREADS_MAX ? ctx->threads : THREADS_MAX;
}

void parallel_set_threads(Context *ctx, int threads)
{
    parallel_close(ctx);
    ctx->threads = threads;
}

void parallel_close(Context *ctx)
{
    if (ctx->pool)
        pool_free(ctx->pool);
    ctx->pool = NULL;
}

bool parallel_for(Context *ctx, int64_t n, int64_t grain, void (*body)(void *data, int64_t begin, int64_t end), void *data,
                  Err *err)
{
    if (grain < 1)
        grain = 1;
    if (n <= grain) {
        if (n > 0)
            body(data, 0, n);
        return !interrupted(ctx, err);
    }
    Job job = { body, data, n, grain, 0, ctx->interrupted };
    if (n / grain >= CHUNKS_ON_THREADS && !ctx->pool)
        ctx->pool = pool_new(parallel_threads(ctx));
    if (n / grain >= CHUNKS_ON_THREADS && ctx->pool)
        pool_run(ctx->pool, &job);
    else
        work(&job);
    return !interrupted(ctx, err);
}
