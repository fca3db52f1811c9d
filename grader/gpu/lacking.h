// lacking.h - names of CUDA that the simulated GPU does not have, each with the feature it belongs to.
//
// build/lacking.c includes this table for hand-ins; cudasim.sh reads its lines for programs of one's own. A pattern
// is that of a shell: * is any rest, [A-Z] one capital letter. The first pattern that fits a name counts.
// Without a feature, a report names the name alone.
//
//   LACKS           neither has it
//   HAND_INS_LACK   cudasim has it, or names its header
//   CUDASIM_LACKS   may be a name of a student's own
//   FROM_HEADER     this header has such names, so it may only be missing

// clang-format off
LACKS("cuda*Texture*", "textures")
LACKS("cudaArray*", "textures")
LACKS("cudaMalloc*Array", "textures")
LACKS("cudaFree*Array", "textures")
LACKS("cudaMemcpy*Array*", "textures")
LACKS("cudaCreateChannelDesc*", "textures")
LACKS("cudaChannelFormat*", "textures")
LACKS("cudaResource[A-Z]*", "textures")
LACKS("cudaAddressMode*", "textures")
LACKS("cudaFilterMode*", "textures")
LACKS("cudaReadMode*", "textures")
LACKS("tex[123]D*", "textures")
LACKS("texCubemap*", "textures")
LACKS("texture", "textures")
LACKS("cuda*Surface*", "surfaces")
LACKS("surf[123]D*", "surfaces")
LACKS("surfCubemap*", "surfaces")
LACKS("surface", "surfaces")
LACKS("cudaGraph[A-Z_]*", "graphs")
LACKS("cudaStream*Capture*", "graphs")
LACKS("__cluster_dims__", "clusters of blocks")
LACKS("this_cluster", "clusters of blocks")
LACKS("cluster_group", "clusters of blocks")
LACKS("cudaLaunchKernelEx*", "clusters of blocks")
LACKS("cudaLaunchAttributeCluster*", "clusters of blocks")
HAND_INS_LACK("thrust", "Thrust")
HAND_INS_LACK("cub", "CUB")
HAND_INS_LACK("nvcuda", "tensor cores")
HAND_INS_LACK("wmma", "tensor cores")
HAND_INS_LACK("curand", "cuRAND")
HAND_INS_LACK("curand[A-Z_]*", "cuRAND")
LACKS("cuInit*", "driver functions")
LACKS("cuDevice*", "driver functions")
LACKS("cuCtx*", "driver functions")
LACKS("cuModule*", "driver functions")
LACKS("cuMem*", "driver functions")
LACKS("cuLaunch*", "driver functions")
LACKS("cuFunc*", "driver functions")
LACKS("cuStream*", "driver functions")
LACKS("cuEvent*", "driver functions")
LACKS("cuLink*", "driver functions")
LACKS("cuOccupancy*", "driver functions")
LACKS("cuArray*", "driver functions")
LACKS("cuTex*", "driver functions")
LACKS("cuSurf*", "driver functions")
LACKS("cuGraph*", "driver functions")
LACKS("cuGet*", "driver functions")
LACKS("cuDriver*", "driver functions")
LACKS("cuda[A-Z]*", "")
FROM_HEADER("cublas[A-Z]*", "cublas_v2.h")
FROM_HEADER("CUBLAS_*", "cublas_v2.h")
FROM_HEADER("cu*Complex", "cuComplex.h")
FROM_HEADER("__nv_bfloat16*", "cuda_bf16.h")
CUDASIM_LACKS("cu[A-Z][a-z]*[A-Z]*", "")
LACKS("__nv_*", "")
// clang-format on
