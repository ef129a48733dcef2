// SPDX-License-Identifier: MIT
// vdb_unpack.cpp: what OpenVDB calls to unpack parts of a file,
// with the lengths looked at first.
//
// Each packed part is written with its length in front, below 0 where it was not packed. OpenVDB
// 10 reads as many bytes as the length says into room for as many as are wanted, and compares
// afterwards; blosc reads as many as its own header says; an attribute is cut out of its page
// wherever it is said to lie. A file out of which a few bytes were lost so writes over the heap,
// or shows what lies beside. These functions have the names of OpenVDB's own, so that the
// program's are called, by its library as well; they do the same and refuse what does not fit.
#include "geometry/vdb/vdb_bound.hpp"

#include <openvdb/io/Compression.h>
#include <openvdb/points/StreamCompression.h>
#include <blosc.h>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <zlib.h>

namespace
{

constexpr int PADDED =
    128; // what is too short to be packed by blosc is made as long as this before

[[noreturn]] void refuse() { throw firn::misfit(); }

// Does a part packed by blosc, of which `room` bytes are there, end within them?
bool is_whole(const char *packed, std::size_t room)
{
    std::uint32_t length; // the last of blosc's header, bytes 12 to 15
    if (room < BLOSC_MIN_HEADER_LENGTH) return false;
    std::memcpy(&length, packed + 12, sizeof length);
    return length <= room;
}

void unpack_blosc(const char *packed, std::size_t room, char *to, std::size_t n_to,
                  std::size_t n_wanted)
{
    if (!is_whole(packed, room)) refuse();
    int n = blosc_decompress_ctx(packed, to, n_to, 1);
    bool is_padded = n == PADDED && n_wanted <= PADDED;
    if (n < 0 || ((std::size_t)n != n_wanted && !is_padded)) refuse();
}

void unpack_zip(const char *packed, std::size_t room, char *to, std::size_t, std::size_t n_wanted)
{
    uLongf n = n_wanted;
    int status = uncompress(reinterpret_cast<Bytef *>(to), &n,
                            reinterpret_cast<const Bytef *>(packed), (uLong)room);
    if (status != Z_OK || n != n_wanted) refuse();
}

// Reads a part of n bytes, or passes over it where there is no `data`.
template <class Unpack>
void from_stream(std::istream &is, char *data, std::size_t n, Unpack &&unpack)
{
    std::int64_t length = 0;
    is.read(reinterpret_cast<char *>(&length), sizeof length);
    if (!is || length == INT64_MIN || (length <= 0 && (std::size_t)-length != n)) refuse();
    if (!data) {
        is.seekg(std::abs(length), std::ios_base::cur);
    } else if (length <= 0) {
        is.read(data, -length);
    } else {
        std::unique_ptr<char[]> packed(new char[(std::size_t)length]);
        is.read(packed.get(), length);
        if (is) unpack(packed.get(), (std::size_t)length, data, n, n);
    }
    if (!is) refuse();
}

// `new` of the program is malloc (vdb_bound.cpp), which knows how much it gave.
struct rooms {
    rooms()
    {
        firn::room = [](const void *block) {
            return malloc_usable_size(const_cast<void *>(block));
        };
    }
} set_rooms;

} // namespace

namespace openvdb
{
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME
{

namespace io
{
void bloscFromStream(std::istream &is, char *data, size_t n)
{
    from_stream(is, data, n, unpack_blosc);
}
void unzipFromStream(std::istream &is, char *data, size_t n)
{
    from_stream(is, data, n, unpack_zip);
}
} // namespace io

namespace compression
{
// Of points. Whoever calls it has just read `packed` into a block of its own, but does not say
// how much.
void bloscDecompress(char *data, const size_t n, const size_t n_room, const char *packed)
{
    unpack_blosc(packed, firn::room(packed), data, n_room, n);
}

// The next n bytes of a page; a new page where the last is used up.
PageHandle::Ptr PagedInputStream::createHandle(std::streamsize n)
{
    if (mByteIndex == mUncompressedBytes) {
        mPage = std::make_shared<Page>();
        mPage->readHeader(*mIs);
        mUncompressedBytes = (int)mPage->uncompressedBytes();
        mByteIndex = 0;
    }
    if (n < 1 || n > mUncompressedBytes - mByteIndex) refuse();
    auto handle = std::make_unique<PageHandle>(mPage, mByteIndex, (int)n);
    mByteIndex += (int)n;
    return handle;
}
} // namespace compression

} // namespace OPENVDB_VERSION_NAME
} // namespace openvdb
