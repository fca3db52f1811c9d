// mpi.h - MPI for a program that runs alone: process 0 of 1. Used only if the machine has no MPI and
// the program's own folders have none. nccl_all_reduce.cu of llm.c shows what such programs call.

#ifndef GPU_MPI_H
#define GPU_MPI_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int MPI_Comm;
typedef size_t MPI_Datatype; // an element's bytes
typedef int MPI_Op;

#define MPI_COMM_WORLD 0
#define MPI_SUCCESS 0
#define MPI_IN_PLACE ((const void *)-1)
#define MPI_MAX_ERROR_STRING 64

#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_BYTE ((MPI_Datatype)1)
#define MPI_CHAR ((MPI_Datatype)1)
#define MPI_INT ((MPI_Datatype)sizeof(int))
#define MPI_UNSIGNED ((MPI_Datatype)sizeof(unsigned))
#define MPI_FLOAT ((MPI_Datatype)sizeof(float))
#define MPI_DOUBLE ((MPI_Datatype)sizeof(double))
#define MPI_UINT64_T ((MPI_Datatype)8)

#define MPI_SUM 0
#define MPI_MIN 1
#define MPI_MAX 2
#define MPI_PROD 3

static inline int MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
}
static inline int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}
static inline int MPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    exit(status);
}
static inline int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = 0;
    return (void)comm, MPI_SUCCESS;
}
static inline int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = 1;
    return (void)comm, MPI_SUCCESS;
}
static inline int MPI_Barrier(MPI_Comm comm)
{
    return (void)comm, MPI_SUCCESS;
}
static inline int MPI_Bcast(void *data, int count, MPI_Datatype type, int root,
                            MPI_Comm comm)
{
    return (void)data, (void)count, (void)type, (void)root, (void)comm, MPI_SUCCESS;
}

// What the only process sends is what it gets.
static inline int gpu_mpi_keep(const void *from, void *to, int count, MPI_Datatype type)
{
    if (from != MPI_IN_PLACE) {
        memcpy(to, from, (size_t)count * type);
    }
    return MPI_SUCCESS;
}
static inline int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to,
                                int to_count, MPI_Datatype to_type, MPI_Comm comm)
{
    return (void)to_count, (void)to_type, (void)comm, gpu_mpi_keep(from, to, count, type);
}
static inline int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm)
{
    return (void)op, (void)comm, gpu_mpi_keep(from, to, count, type);
}
static inline int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm)
{
    return (void)op, (void)root, (void)comm, gpu_mpi_keep(from, to, count, type);
}

static inline int MPI_Error_string(int error, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "MPI error %d", error);
    return MPI_SUCCESS;
}
static inline double MPI_Wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
